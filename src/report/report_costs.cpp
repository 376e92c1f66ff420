// SPDX-License-Identifier: Apache-2.0
//
// Part 2 (RQ1): what each level costs, as the studies print it, with every run visible.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/standings.h"
#include "base/text.h"
#include "model/window.h"
#include "report/compare_words.h"
#include "report/costs_words.h"
#include "report/report_cells.h"
#include "report/report_input.h"
#include "report/report_thinning.h"

namespace prengdl {
namespace {

/// The measures of the findings, that of the headline first.
std::vector<std::string> measures_of(const ReportInput& input) {
  std::vector<std::string> measures;
  if (input.findings.value)
    for (const auto& family : input.findings.value->families) measures.push_back(family.measure);
  if (measures.empty()) measures = {input.primary, "seconds"};
  const auto first = std::find(measures.begin(), measures.end(), headline_of(input));
  if (first != measures.end()) std::rotate(measures.begin(), first, first + 1);
  return measures;
}

/// Means of all levels, a row each, with the ratio to the cheapest: domains are columns.
ReportTable means_table(const ReportInput& input, const std::vector<const UnitRuns*>& units,
                        const std::string& id, const std::string& phase) {
  const auto measures = measures_of(input);
  std::set<std::string> modelled;  // has no winner
  for (const auto& measure : measures)
    if (is_modelled(input, measure)) modelled.insert(measure);
  ReportTable table;
  table.id = id;
  table.title = "Means" + phase + ": energy by domain, and time";
  table.columns = {text_column("unit", "unit"), text_column("level", level_title(input)),
                   number_column("n", "n")};
  for (const auto& measure : measures) {
    table.columns.push_back(
        number_column(measure, titled(input, measure), unit_of_measure(measure)));
    table.columns.push_back(number_column(measure + "_ratio", "/ least"));
  }
  for (const auto* unit : units) {
    std::map<std::string, double> least;
    for (const auto& runs : unit->levels)
      for (const auto& measure : measures)
        if (const auto mean = cell_mean(input, runs, measure)) {
          const auto known = least.find(measure);
          if (known == least.end() || *mean < known->second) least[measure] = *mean;
        }
    for (std::size_t i = 0; i < unit->levels.size(); ++i) {
      if (unit->levels[i].empty()) continue;
      std::vector<ReportCell> row{text_cell(unit_label(input.study, unit->cell)),
                                  text_cell(input.levels[i]), count_cell(unit->levels[i].size())};
      for (const auto& measure : measures) {
        const auto mean = cell_mean(input, unit->levels[i], measure);
        row.push_back(scaled_cell(mean));
        row.back().is_marked = mean && unit->levels.size() > 1 && *mean == least[measure] &&
                               !modelled.contains(measure);
        row.push_back(mean && least[measure] > 0
                          ? ReportCell{fmt::format("{:.3f}", *mean / least[measure]),
                                       *mean / least[measure], false}
                          : ReportCell{});
      }
      table.rows.push_back(std::move(row));
    }
  }
  for (const auto& measure : measures)
    if (drop_if_empty(table, measure)) drop_if_empty(table, measure + "_ratio");
  table.note =
      "arithmetic means over runs, as the studies print them; the lowest mean of a unit is marked, "
      "whether or not "
      "a difference is shown";
  return table;
}

ReportTable tests_table(const ReportInput& input, const std::string& phase_factor_name,
                        const std::string& phase, const std::string& id) {
  ReportTable table;
  table.id = id;
  table.title = "Ratios and tests" + (phase.empty() ? "" : " of " + phase);
  table.columns = {
      text_column("unit", "unit"),       text_column("measure", "measure"),
      text_column("pair", "pair"),       number_column("n", "n"),
      number_column("ratio", "ratio"),   text_column("interval", "95 % interval"),
      number_column("p", "p"),           number_column("p_corrected", "corrected p"),
      number_column("rank_p", "rank p"), number_column("rank_p_corrected", "corrected rank p"),
      number_column("a12", "A12"),       text_column("verdict", "verdict")};
  std::vector<const Comparison*> shown;
  for (const auto& one : input.findings.value->comparisons) {
    if (!phase_factor_name.empty()) {
      const auto level = one.cell.find(phase_factor_name);
      if (level == one.cell.end() || level->second != phase) continue;
    }
    if (one.n > 0) shown.push_back(&one);
  }
  std::stable_partition(
      shown.begin(), shown.end(),
      [measure = headline_of(input)](const Comparison* one) { return one->measure == measure; });
  for (const auto* pointer : shown) {
    const Comparison& one = *pointer;
    table.rows.push_back(
        {text_cell(unit_label(input.study, one.cell)),
         text_cell(titled(input, one.measure) + (one.per ? " per " + one_of(one.per) : "")),
         text_cell(one.pair[0] + " / " + one.pair[1]), count_cell(one.n),
         ratio_cell(one.estimate.value), interval_cell(one.estimate.ci95), p_cell(one.estimate.p),
         p_cell(one.estimate.p_corrected), one.rank ? p_cell(one.rank->p) : ReportCell{},
         one.rank ? p_cell(one.rank->p_corrected) : ReportCell{},
         one.a12 ? ReportCell{fmt::format("{:.2f}", *one.a12), one.a12, false} : ReportCell{},
         text_cell(verdict_text(one))});
  }
  table.note =
      "ratio of geometric means, first / second; p by t on logs; the rank test is Wilcoxon's; A12: "
      "the chance that a "
      "run of the first costs more; corrected by Holm within each measure";
  fold_column(table, "pair");
  return table;
}

void add_tables(const ReportInput& input, ReportPart& part) {
  const auto factor = phase_factor(input.study);
  std::vector<std::string> phases{""};
  if (factor) phases = input.study.factors[*factor_index(input.study, *factor)].levels;
  for (const auto& phase : phases) {
    std::vector<const UnitRuns*> units;
    for (const auto& unit : input.units)
      if (!factor || unit.cell.at(*factor) == phase) units.push_back(&unit);
    const std::string suffix = phase.empty() ? "" : "-" + phase;
    part.add(means_table(input, units, "means" + suffix, phase.empty() ? "" : " of " + phase));
    if (input.findings.value)
      part.add(tests_table(input, factor.value_or(""), phase, "tests" + suffix));
  }
}

/// A run and its figure.
using Dot = std::pair<double, const StoredRun*>;

/// The dots of one level of a unit: in the order of the runs, or those that are shown of too many.
std::vector<Dot> shown_dots(std::vector<Dot> dots, const Thinning& thinning) {
  if (!thinning.is_needed()) return dots;
  std::stable_sort(dots.begin(), dots.end(),
                   [](const Dot& one, const Dot& other) { return one.first < other.first; });
  std::vector<Dot> shown;
  for (const std::size_t place : thinning.shown(dots.size())) shown.push_back(dots[place]);
  return shown;
}

ReportChart dots_chart(const ReportInput& input, const std::string& measure,
                       const Thinning& thinning) {
  ReportTable table, means;
  table.id = "runs-" + measure;
  table.title =
      (thinning.is_needed() ? "A part of the runs: " : "Every run: ") + titled(input, measure);
  table.columns = {text_column("unit", "unit"), text_column("level", level_title(input)),
                   text_column("run", "run"),
                   number_column("value", titled(input, measure), unit_of_measure(measure))};
  means.id = "means-of-runs-" + measure;
  means.title = "Mean of all runs: " + titled(input, measure);
  means.columns = table.columns;
  means.columns[2] = number_column("runs", "runs");
  double least = 0, most = 0;
  for (const auto& unit : input.units)
    for (std::size_t i = 0; i < unit.levels.size(); ++i) {
      std::vector<Dot> dots;
      double sum = 0;
      for (const auto* run : unit.levels[i])
        if (const auto value = run_figure(input, run->run, measure)) {
          dots.emplace_back(*value, run);
          sum += *value;
        }
      if (dots.empty()) continue;
      const std::string name = unit_label(input.study, unit.cell);
      means.rows.push_back({text_cell(name), text_cell(input.levels[i]), count_cell(dots.size()),
                            scaled_cell(sum / static_cast<double>(dots.size()))});
      for (const auto& [value, run] : shown_dots(std::move(dots), thinning)) {
        if (table.rows.empty()) least = most = value;
        least = std::min(least, value);
        most = std::max(most, value);
        table.rows.push_back(
            {text_cell(name), text_cell(input.levels[i]), text_cell(run->id), scaled_cell(value)});
      }
    }
  ReportChart chart;
  chart.id = "dots-" + measure;
  chart.title = table.title;
  chart.says = fmt::format(
      "{}, a row for each unit, coloured by {}; a tick marks the mean of all runs of a cell.",
      thinning.says("One dot", "spread evenly from the lowest to the highest"),
      table.columns[1].title);
  chart.kind = ChartKind::dots;
  chart.roles = {{"x", "value"}, {"y", "unit"}, {"colour", "level"}, {"label", "run"}};
  if (least > 0 && most > 20 * least) chart.settings = {{"log", 1}};
  chart.tables.push_back(std::move(table));
  chart.tables.push_back(std::move(means));
  return chart;
}

void add_dots(const ReportInput& input, ReportPart& part) {
  std::array<std::string, 2> measures{input.primary, "seconds"};
  if (headline_of(input) == "seconds") std::swap(measures[0], measures[1]);
  for (const auto& measure : measures) part.add(dots_chart(input, measure, thinning_of(input)));
}

void add_forest(const ReportInput& input, ReportPart& part) {
  const auto& findings = *input.findings.value;
  std::vector<std::string> measures{headline_of(input)};
  for (const auto& more : {input.study.analysis.primary, std::string("seconds")})
    if (std::find(measures.begin(), measures.end(), more) == measures.end())
      measures.push_back(more);
  for (const auto& measure : measures) {
    ReportTable table;
    table.id = "forest-data-" + measure;
    table.title = "Ratios of " + titled(input, measure);
    table.columns = {text_column("unit", "unit"),      text_column("pair", "pair"),
                     number_column("ratio", "ratio"),  number_column("low", "95 % from"),
                     number_column("high", "95 % to"), text_column("verdict", "verdict"),
                     text_column("kind", "kind")};
    const bool one_pair = findings.levels.size() == 2;
    // Of many levels the lowest of each unit is set against the others: all pairs fill pages.
    const bool is_many = findings.levels.size() >= many_levels;
    const Standings all = is_many ? standings(findings, measure) : Standings{};
    const auto add = [&](std::string name, std::array<std::string, 2> pair, double ratio,
                         std::optional<std::array<double, 2>> ci, std::string verdict,
                         const char* kind, const std::string& lowest) {
      if (pair[0] == lowest) {
        std::swap(pair[0], pair[1]);
        ratio = 1 / ratio;
        if (ci) ci = {1 / (*ci)[1], 1 / (*ci)[0]};
      }
      if (!one_pair) name += (name.empty() ? "" : ": ") + pair[0] + " / " + pair[1];
      table.rows.push_back({text_cell(std::move(name)), text_cell(pair[0] + " / " + pair[1]),
                            ratio_cell(ratio), ci ? ratio_cell((*ci)[0]) : ReportCell{},
                            ci ? ratio_cell((*ci)[1]) : ReportCell{}, text_cell(std::move(verdict)),
                            text_cell(kind)});
    };
    for (const auto& one : findings.comparisons)
      if (one.measure == measure && one.n > 0 && (!is_many || all.has_least(one)))
        add(unit_label(input.study, one.cell), one.pair, one.estimate.value, one.estimate.ci95,
            verdict_text(one), "unit", all.least_of(one.cell));
    const std::string leader = all.levels.empty() ? "" : all.levels.front().level;
    for (const auto& group : findings.groups)
      if (group.measure == measure && group.units > 1 &&
          (!is_many || group.pair[0] == leader || group.pair[1] == leader))
        add(group.group == "all" ? "all units" : "group " + group.group, group.pair, group.ratio,
            group.ci95, "several units", "group", leader);
    ReportChart chart;
    chart.id = "forest-" + measure;
    chart.title = "Ratios of " + titled(input, measure) + " with 95 % intervals";
    chart.says = fmt::format(
        "A row for each unit: the ratio {} and its interval, the line at 1, and the margin of "
        "{:.3g} %.",
        one_pair  ? findings.levels[0] + " / " + findings.levels[1]
        : is_many ? "of every other level to the lowest"
                  : "of each pair",
        findings.margin * 100);
    chart.kind = ChartKind::forest;
    chart.roles = {{"x", "ratio"}, {"low", "low"},        {"high", "high"},
                   {"y", "unit"},  {"colour", "verdict"}, {"kind", "kind"}};
    chart.settings = {{"margin", findings.margin}};
    chart.titles = {{"x", one_pair  ? findings.levels[0] + " / " + findings.levels[1]
                          : is_many ? "other / lowest"
                                    : "first / second"}};
    chart.tables.push_back(std::move(table));
    part.add(std::move(chart));
  }
}

void add_groups(const ReportInput& input, ReportPart& part) {
  ReportTable table;
  table.id = "groups";
  table.title = "Several units as one";
  table.columns = {text_column("group", "group"),
                   text_column("measure", "measure"),
                   text_column("pair", "pair"),
                   number_column("units", "units"),
                   number_column("ratio", "ratio"),
                   text_column("interval", "95 % interval"),
                   number_column("first", "first costs less in"),
                   number_column("second", "second costs less in")};
  for (const auto& group : input.findings.value->groups)
    table.rows.push_back({text_cell(group.group), text_cell(titled(input, group.measure)),
                          text_cell(group.pair[0] + " / " + group.pair[1]), count_cell(group.units),
                          ratio_cell(group.ratio), interval_cell(group.ci95),
                          count_cell(group.wins[0]), count_cell(group.wins[1])});
  table.note =
      "geometric means of the units' ratios; the units are the sample, and three of them give an "
      "interval";
  fold_column(table, "pair");
  part.add(std::move(table));
}

}  // namespace

ReportPart costs_part(const ReportInput& input) {
  ReportPart part{"costs", "RQ1: what the levels cost", {}};
  std::size_t runs = 0;
  for (const auto& unit : input.units)
    for (const auto& level : unit.levels) runs += level.size();
  if (runs == 0) {
    part.say("No run counts: none was good, or all are warm-ups or excluded.");
    return part;
  }
  add_tables(input, part);
  add_dots(input, part);
  if (input.findings.value) {
    add_forest(input, part);
    add_groups(input, part);
  } else {
    part.say("There are no ratios: " + input.findings.why_not);
  }
  add_break_even(input, part);
  if (!input.published.empty()) part.add(published_table(input));
  return part;
}

}  // namespace prengdl
