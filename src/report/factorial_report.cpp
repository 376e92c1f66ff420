// SPDX-License-Identifier: Apache-2.0
#include "report/factorial_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "report/compare_words.h"
#include "report/table.h"
#include "report/terminal.h"

namespace prengdl {
namespace {

using Align = Table::Align;

/// Below this p a check is said to object; with few runs it hardly ever does.
constexpr double suspicious = 0.01;

std::string_view name_of(FactorialBasis basis) {
  switch (basis) {
    case FactorialBasis::runs:
      return "runs";
    case FactorialBasis::cell_means:
      return "cell means";
    case FactorialBasis::levels_alone:
      return "levels alone";
  }
  return "";
}

std::string cost(const FactorialView& view, double value) {
  Comparison of;
  of.measure = view.measure;
  of.per = view.per;
  return cost_text(value, of);
}

std::string levels_text(const FactorialView& view, const Style& style) {
  Table table({{"factor", Align::left},
               {"level", Align::left},
               {"runs", Align::right},
               {"geometric mean", Align::right},
               {"effect", Align::right}});
  for (const auto& factor : view.factors)
    for (const auto& level : factor.levels)
      table.add({&level == &factor.levels.front() ? printable(factor.name) : "",
                 printable(level.level), std::to_string(level.runs), cost(view, level.geomean),
                 fmt::format("x {:#.4g}", level.effect)});
  return table.text("  ", style);
}

std::string anova_text(const Anova& anova, const Style& style) {
  Table table({{"source", Align::left},
               {"share", Align::right},
               {"degrees", Align::right},
               {"F", Align::right},
               {"p", Align::right}});
  const auto share = [](double value) { return fmt::format("{:.1f} %", 100 * value); };
  for (const auto& term : anova.terms)
    table.add({printable(term.name), share(term.share), fmt::format("{:g}", term.freedom),
               term.f ? fmt::format("{:.3g}", *term.f) : "", p_text(term.p)});
  for (const auto& stratum : anova.strata)
    table.add({"between " + printable(stratum.name) + "s", share(stratum.share),
               fmt::format("{:g}", stratum.freedom), "", ""});
  return table.text("  ", style);
}

/// The largest interaction in words: which combination is off, and by how much.
std::string interactions_text(const FactorialView& view, const Anova& anova) {
  std::string out;
  for (const auto& term : anova.terms) {
    if (term.factors.size() != 2 || term.share < 0.01) continue;
    std::size_t place = 0;
    for (std::size_t i = 0; i < term.effects.size(); ++i)
      if (std::max(term.effects[i], 1 / term.effects[i]) >
          std::max(term.effects[place], 1 / term.effects[place]))
        place = i;
    const auto& first = view.factors[term.factors[0]];
    const auto& second = view.factors[term.factors[1]];
    out += fmt::format(
        "  {}: most at {} with {}, {:#.3g} times what the two alone foretell\n",
        printable(term.name), printable(first.levels[place / second.levels.size()].level),
        printable(second.levels[place % second.levels.size()].level), term.effects[place]);
  }
  return out;
}

std::string checks_text(const ResidualChecks& checks) {
  std::string text;
  const auto add = [&](const char* name, double p) {
    text += fmt::format("{}{} p {}", text.empty() ? "" : ", ", name, p_text(p));
  };
  if (checks.normality) add("normal (Shapiro-Wilk)", checks.normality->p);
  if (checks.spread) add("equal spread", checks.spread->p);
  if (checks.additivity) add("additive (Tukey)", checks.additivity->p);
  return text;
}

bool is_suspicious(const ResidualChecks& checks) {
  return (checks.normality && checks.normality->p < suspicious) ||
         (checks.spread && checks.spread->p < suspicious);
}

std::string scale_text(const ScaleAdvice& scale, const Style& style) {
  std::string out = "  residuals on logs: " + checks_text(scale.logs) + "\n";
  if (is_suspicious(scale.logs))
    out += "  " + style.warn("they are not as the tests assume: trust shares more than p") + "\n";
  const double range = scale.largest_over_smallest;
  if (scale.better == Scale::logs)
    out += fmt::format(
        "  logs are the better scale (log likelihood {:+.3g}; the values span a factor of {:.3g}): "
        "take logs, and read effects as ratios\n",
        scale.gain, range);
  else if (scale.better == Scale::raw)
    out += "  " +
           style.warn(fmt::format("the raw values fit better than logs (log likelihood {:+.3g}): "
                                  "effects add up here, read ratios with care",
                                  scale.gain)) +
           "\n";
  else
    out += fmt::format(
        "  logs or not makes no difference here (the values span a factor of {:.3g})\n", range);
  return out;
}

std::string view_text(const FactorialView& view, const Style& style) {
  std::string out =
      style.bold("factors, by " + measure_title(printable(view.measure))) +
      style.dim(fmt::format("   {} runs{}", view.runs,
                            view.quality == Quality::model ? "; modelled, not measured" : "")) +
      "\n";
  out += levels_text(view, style);
  if (view.anova) {
    out += style.dim("  shares of variation, on logs") + "\n";
    out += anova_text(*view.anova, style);
    out += interactions_text(view, *view.anova);
  }
  if (view.scale) out += scale_text(*view.scale, style);
  for (const auto& cell : view.short_cells) {
    std::string name;
    for (const auto& level : cell.cell) name += (name.empty() ? "" : " ") + level;
    out += "  " +
           style.warn(fmt::format("{}: {} of {} runs", printable(name), cell.runs, cell.wanted)) +
           "\n";
  }
  for (const auto& note : view.notes) out += "  " + style.warn(printable(note)) + "\n";
  return out + "\n";
}

Json checks_json(const ResidualChecks& checks) {
  Json json = Json::object();
  if (checks.normality)
    json["normality"] = {{"w", checks.normality->w}, {"p", checks.normality->p}};
  if (checks.spread)
    json["spread"] = {{"test", checks.spread->test},
                      {"statistic", checks.spread->statistic},
                      {"p", checks.spread->p}};
  if (checks.additivity)
    json["additivity"] = {{"f", checks.additivity->f}, {"p", checks.additivity->p}};
  return json;
}

Json anova_json(const Anova& anova) {
  Json json{{"geomean", anova.mean}, {"terms", Json::array()}, {"strata", Json::array()}};
  for (const auto& term : anova.terms) {
    Json one{{"term", term.name},
             {"freedom", term.freedom},
             {"share", term.share},
             {"means", term.means},
             {"effects", term.effects}};
    if (term.f) one["f"] = *term.f;
    if (term.p) one["p"] = *term.p;
    json["terms"].push_back(std::move(one));
  }
  for (const auto& stratum : anova.strata)
    json["strata"].push_back(
        {{"stratum", stratum.name}, {"freedom", stratum.freedom}, {"share", stratum.share}});
  return json;
}

Json view_json(const FactorialView& view) {
  Json json{{"measure", view.measure},
            {"basis", name_of(view.basis)},
            {"runs", view.runs},
            {"left_out", view.left_out}};
  if (view.per) json["per"] = *view.per;
  if (view.quality) json["quality"] = name_of(*view.quality);
  json["factors"] = Json::array();
  for (const auto& factor : view.factors) {
    Json one{
        {"factor", factor.name}, {"randomised", factor.is_randomised}, {"levels", Json::array()}};
    for (const auto& level : factor.levels)
      one["levels"].push_back({{"level", level.level},
                               {"runs", level.runs},
                               {"geomean", level.geomean},
                               {"effect", level.effect}});
    json["factors"].push_back(std::move(one));
  }
  if (view.anova) json["anova"] = anova_json(*view.anova);
  if (view.scale) {
    const char* const words[] = {"logs", "raw", "either"};
    json["scale"] = {{"better", words[static_cast<std::size_t>(view.scale->better)]},
                     {"gain", view.scale->gain},
                     {"largest_over_smallest", view.scale->largest_over_smallest},
                     {"logs", checks_json(view.scale->logs)},
                     {"raw", checks_json(view.scale->raw)}};
  }
  json["short_cells"] = Json::array();
  for (const auto& cell : view.short_cells)
    json["short_cells"].push_back(
        {{"cell", cell.cell}, {"runs", cell.runs}, {"wanted", cell.wanted}});
  json["notes"] = view.notes;
  return json;
}

}  // namespace

ComparePart factorial_part(const std::vector<FactorialView>& views, const Style& style) {
  ComparePart part{"factorial", Json::array(), ""};
  for (const auto& view : views) {
    part.json.push_back(view_json(view));
    part.text += view_text(view, style);
  }
  return part;
}

}  // namespace prengdl
