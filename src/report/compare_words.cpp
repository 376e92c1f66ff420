// SPDX-License-Identifier: Apache-2.0
#include "report/compare_words.h"

#include <fmt/core.h>

#include "model/measure.h"
#include "report/figures.h"

namespace prengdl {

std::string measure_title(const std::string& measure) { return title_of(measure); }

std::string cost_text(double value, const Comparison& of) {
  const std::string cost = figure_text(value, unit_of(of.measure));
  return of.per ? cost + "/" + singular(*of.per) : cost;
}

std::string ratio_text(double ratio) { return fmt::format("{:#.4g}", ratio); }

std::string interval_text(const std::optional<std::array<double, 2>>& interval) {
  if (!interval) return "";
  return fmt::format("{:#.4g} … {:#.4g}", (*interval)[0], (*interval)[1]);
}

std::string p_text(const std::optional<double>& p) {
  if (!p) return "";
  if (*p < 0.0001) return "< 0.0001";
  // 0.0498 is below 0.05 and must not look as if it were that.
  std::string text = fmt::format("{:.2g}", *p);
  for (int digits = 3; digits <= 5 && (text == "0.1" || text == "0.05" || text == "0.01"); ++digits)
    text = fmt::format("{:.{}g}", *p, digits);
  return text;
}

std::string verdict_text(const Comparison& comparison) {
  switch (comparison.verdict) {
    case Verdict::less:
      return comparison.winner.value_or("") + " costs less";
    case Verdict::less_below_margin:
      return comparison.winner.value_or("") + " costs less, below the margin";
    default:
      return std::string(name_of(comparison.verdict));
  }
}

}  // namespace prengdl
