// SPDX-License-Identifier: Apache-2.0
//
// "What does each factor do?": each factor by itself and together with the others.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/measure.h"
#include "print/costs.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

struct SweepMeasure {
  std::string key, title, unit;
};

/// Energy, power, utilisation and the metric, as far as runs have them.
std::vector<SweepMeasure> sweep_measures(const ReportInput& input) {
  std::vector<SweepMeasure> measures{{input.primary, measure_title(input.primary), "J"},
                                     {"seconds", "time", "s"},
                                     {"watts", "power", "W"}};
  if (is_modelled(input, input.primary)) std::swap(measures[0], measures[1]);
  std::set<std::string> channels;
  for (const auto& run : *input.runs)
    for (const auto& channel : run.run.channels)
      if (channel.name.find("utilisation") != std::string::npos) channels.insert(channel.name);
  for (const auto& name : channels) {
    std::string title = name;
    std::replace(title.begin(), title.end(), '_', ' ');
    measures.push_back({name, title, ""});
  }
  // Of different metrics there is no mean.
  if (const auto metric = input.scores.value ? input.scores.value->only_metric() : std::nullopt)
    measures.push_back({*metric, *metric, ""});
  return measures;
}

std::vector<const Factor*> swept_factors(const ReportInput& input) {
  std::vector<const Factor*> factors;
  for (const auto& factor : input.study.factors)
    if (factor.name != input.study.analysis.compare && factor.levels.size() > 1)
      factors.push_back(&factor);
  return factors;
}

/// One measure by each factor in turn: a line for every combination of the others.
void add_small_multiples(const ReportInput& input, const SweepMeasure& measure, Part& part) {
  Table table;
  table.id = "sweep-" + measure.key;
  table.title = measure.title + " by factor";
  table.columns = {
      text_column("factor", "factor"), text_column("level", "level"),
      text_column("compared",
                  input.study.analysis.compare.empty() ? "all" : input.study.analysis.compare),
      text_column("others", "other levels"), number_column("value", measure.title, measure.unit)};
  for (const auto* factor : swept_factors(input))
    for (const auto& one_case : input.cases)
      for (std::size_t i = 0; i < one_case.levels.size(); ++i) {
        const auto value = cell_mean(input, one_case.levels[i], measure.key);
        if (!value) continue;
        CellPattern rest = one_case.cell;
        const std::string level = rest[factor->name];
        rest.erase(factor->name);
        table.rows.push_back({text_cell(factor->name), text_cell(level), text_cell(input.levels[i]),
                              text_cell(case_label(input.study, rest)),
                              measure.unit.empty() ? number_cell(value) : scaled_cell(value)});
      }
  Chart chart;
  chart.id = "sweep-" + measure.key + "-chart";
  chart.title = measure.title + " by factor";
  chart.badge = table.badge = badge_of(input, measure.key);
  chart.says =
      "A panel for each factor. Small dots are combinations of the other factors, large marks "
      "their "
      "means. Lines join levels only if these are numbers.";
  chart.kind = ChartKind::sweep;
  chart.roles = {{"x", "level"},
                 {"y", "value"},
                 {"colour", "compared"},
                 {"panel", "factor"},
                 {"line", "others"}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

std::string basis_words(const FactorialView& view) {
  switch (view.basis) {
    case FactorialBasis::runs:
      return "Every combination has the same number of runs. Shares are of all variation of the "
             "logarithms.";
    case FactorialBasis::cell_means:
      return "Combinations have unequal numbers of runs. Shares are of the variation between "
             "cells, and nothing is tested.";
    case FactorialBasis::levels_alone:
      return "Some combinations were never run, so there are no shares. Means of levels compare "
             "like with like.";
  }
  return "";
}

void add_levels(const ReportInput& input, const FactorialView& view, Part& part) {
  Table table = factor_levels_table(view);
  table.title =
      measure_title(view.measure) + " by level" + (view.per ? ", per " + one_of(view.per) : "");
  table.badge = badge_of(input, view.measure);
  part.add(std::move(table));
}

void add_shares(const ReportInput& input, const FactorialView& view, Part& part) {
  Table table = shares_table(*view.anova);
  table.id = "shares-" + view.measure;
  table.title = "What makes " + measure_title(view.measure) + " vary";
  table.badge = badge_of(input, view.measure);
  table.note =
      "A factor that was not randomised has a share and no p value, because the order of the runs "
      "may explain it.";
  Chart chart;
  chart.id = "shares-" + view.measure + "-chart";
  chart.title = table.title;
  chart.badge = table.badge;
  chart.says = "A bar for each factor and interaction: its share of the variation of logarithms.";
  chart.kind = ChartKind::bars;
  chart.roles = {{"x", "share"}, {"y", "source"}};
  chart.settings = {{"percent", 1}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

/// The two-factor interactions: by which factor a combination differs from what its levels
/// predict.
void add_interactions(const ReportInput& input, const FactorialView& view, Part& part) {
  Table table;
  table.id = "interactions-" + view.measure;
  table.title = "Combinations that cost more or less " + measure_title(view.measure) +
                " than their levels predict";
  table.badge = badge_of(input, view.measure);
  table.columns = {text_column("term", "interaction"), text_column("first", "first"),
                   text_column("second", "second"), number_column("effect", "effect")};
  for (const auto& term : view.anova->terms) {
    if (term.factors.size() != 2) continue;
    const auto& first = view.factors[term.factors[0]].levels;
    const auto& second = view.factors[term.factors[1]].levels;
    for (std::size_t i = 0; i < first.size(); ++i)
      for (std::size_t j = 0; j < second.size(); ++j)
        table.rows.push_back({text_cell(fmt::format("{} ({:.1f} %)", term.name, term.share * 100)),
                              text_cell(first[i].level), text_cell(second[j].level),
                              ratio_cell(term.effects[i * second.size() + j])});
  }
  Chart chart;
  chart.id = "interactions-" + view.measure + "-chart";
  chart.title = table.title;
  chart.badge = table.badge;
  chart.says =
      "A panel for each pair of factors, with its share of the variation. 1 means that two levels "
      "together cost what each predicts by itself.";
  chart.kind = ChartKind::heat;
  chart.roles = {{"x", "second"}, {"y", "first"}, {"value", "effect"}, {"panel", "term"}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

}  // namespace

Part factors_part(const ReportInput& input) {
  Part part{"factors", "What does each factor do?", {}};
  if (swept_factors(input).empty()) {
    part.absent = "Only the compared factor has several levels.";
    return part;
  }
  for (const auto& measure : sweep_measures(input)) add_small_multiples(input, measure, part);
  if (!input.factorial.value) {
    part.note("There are no shares of variation. " + sentence(input.factorial.why_not));
    return part;
  }
  for (const auto& view : *input.factorial.value) {
    if (view.measure != input.study.analysis.primary && view.measure != measures::seconds) continue;
    part.say(basis_words(view));
    add_levels(input, view, part);
    if (!view.anova) continue;
    add_shares(input, view, part);
    add_interactions(input, view, part);
    for (const auto& note : view.notes) part.note(sentence(note));
  }
  return part;
}

}  // namespace prengdl
