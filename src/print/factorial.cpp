// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "print/costs.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

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

/// The largest interaction in words: which combination is off, and by how much.
void say_interactions(const FactorialView& view, const Anova& anova, Part& part) {
  for (const auto& term : anova.terms) {
    if (term.factors.size() != 2 || term.share < 0.01) continue;
    std::size_t place = 0;
    for (std::size_t i = 0; i < term.effects.size(); ++i)
      if (std::max(term.effects[i], 1 / term.effects[i]) >
          std::max(term.effects[place], 1 / term.effects[place]))
        place = i;
    const auto& first = view.factors[term.factors[0]];
    const auto& second = view.factors[term.factors[1]];
    part.say(fmt::format("{}: largest at {} with {}, {:#.3g} times what the two predict separately",
                         term.name, first.levels[place / second.levels.size()].level,
                         second.levels[place % second.levels.size()].level, term.effects[place]));
  }
}

std::string checks_text(const ResidualChecks& checks) {
  std::vector<std::string> texts;
  const auto add = [&](const char* name, double p) {
    texts.push_back(fmt::format("{} p {}", name, p_text(p)));
  };
  if (checks.normality) add("normal (Shapiro-Wilk)", checks.normality->p);
  if (checks.spread) add("equal spread", checks.spread->p);
  if (checks.additivity) add("additive (Tukey)", checks.additivity->p);
  return joined(texts, ", ");
}

bool is_suspicious(const ResidualChecks& checks) {
  return (checks.normality && checks.normality->p < suspicious) ||
         (checks.spread && checks.spread->p < suspicious);
}

void say_scale(const ScaleAdvice& scale, Part& part) {
  part.say("Residuals on logs: " + checks_text(scale.logs) + ".");
  if (is_suspicious(scale.logs))
    part.caution(
        "The residuals do not meet the assumptions of the tests: trust shares more than p.");
  const double range = scale.largest_over_smallest;
  if (scale.better == Scale::logs)
    part.say(fmt::format(
        "Logs are the better scale (log likelihood {:+.3g}; the values span a factor of {:.3g}). "
        "Read effects as ratios.",
        scale.gain, range));
  else if (scale.better == Scale::raw)
    part.caution(
        fmt::format("The raw values fit better than logs (log likelihood {:+.3g}): "
                    "effects add up here, so read ratios with care.",
                    scale.gain));
  else
    part.say(
        fmt::format("Logs make no difference here (the values span a factor of {:.3g}).", range));
}

Part view_part(const FactorialView& view) {
  Part part{view.measure, "factors, by " + measure_title(view.measure), {}};
  if (view.per) part.title += " per " + one_of(view.per);
  part.remark = fmt::format("{} runs{}", view.runs,
                            view.quality == Quality::model ? "; modelled, not measured" : "");
  part.add(factor_levels_table(view));
  if (view.anova) {
    Table shares = shares_table(*view.anova);
    shares.title = "Shares of variation, on logs";
    part.add(std::move(shares));
    say_interactions(view, *view.anova, part);
  }
  if (view.scale) say_scale(*view.scale, part);
  for (const auto& cell : view.short_cells) {
    part.caution(fmt::format("{}: {} of {} runs", joined(cell.cell, " "), cell.runs, cell.wanted));
  }
  for (const auto& note : view.notes) part.caution(sentence(note));
  return part;
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

Table factor_levels_table(const FactorialView& view) {
  Table table;
  table.id = "levels-" + view.measure;
  table.columns = {text_column("factor", "factor"), text_column("level", "level"),
                   number_column("runs", "runs"),
                   number_column("geomean", "geometric mean", unit_of_measure(view.measure)),
                   number_column("effect", "effect")};
  for (const auto& factor : view.factors)
    for (const auto& level : factor.levels)
      table.add({text_cell(factor.name), text_cell(level.level), count_cell(level.runs),
                 scaled_cell(level.geomean), ratio_cell(level.effect)});
  table.note = "Effect: over the geometric mean of the factor's levels.";
  return table;
}

Table shares_table(const Anova& anova) {
  Table table;
  table.columns = {text_column("source", "source"), number_column("share", "share"),
                   number_column("freedom", "degrees of freedom"), number_column("f", "F"),
                   number_column("p", "p")};
  const auto freedom = [](double value) {
    return TableCell{fmt::format("{:g}", value), value, false};
  };
  for (const auto& term : anova.terms)
    table.add({text_cell(term.name), share_cell(term.share), freedom(term.freedom),
               number_cell(term.f, 3), p_cell(term.p)});
  for (const auto& stratum : anova.strata)
    table.add({text_cell("between " + stratum.name + "s"),
               share_cell(stratum.share),
               freedom(stratum.freedom),
               {},
               {}});
  return table;
}

ComparePart factorial_part(const std::vector<FactorialView>& views, const Style& style) {
  ComparePart part{"factorial", Json::array(), ""};
  for (const auto& view : views) {
    part.json.push_back(view_json(view));
    part.text += part_text(view_part(view), style);
  }
  return part;
}

}  // namespace prengdl
