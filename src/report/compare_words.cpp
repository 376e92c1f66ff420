// SPDX-License-Identifier: Apache-2.0
#include "report/compare_words.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "model/window.h"

namespace prengdl {

std::string measure_title(const std::string& measure) {
  if (measure == "seconds") return "time";
  if (is_latency(measure)) {
    std::string title = measure;
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
  }
  return measure == "metered" ? "energy" : measure + " energy";
}

std::string cost_text(double value, const Comparison& of) {
  std::string cost = with_prefix(value, is_in_seconds(of.measure) ? "s" : "J");
  if (!of.per) return cost;
  // "samples" are told, a cost is of one.
  const std::string& work = *of.per;
  return cost + "/" +
         (work.size() > 1 && work.ends_with('s') ? work.substr(0, work.size() - 1) : work);
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
