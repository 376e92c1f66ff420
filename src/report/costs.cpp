// SPDX-License-Identifier: Apache-2.0
//
// Of the answer: what each level costs, as the studies print it, with every run visible.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/measure.h"
#include "model/window.h"
#include "print/compare.h"
#include "report/report_input.h"
#include "report/thinning.h"
#include "tables/cells.h"

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
Table means_table(const ReportInput& input, const std::vector<const CaseRuns*>& cases,
                  const std::string& id, const std::string& phase) {
  const auto measures = measures_of(input);
  std::set<std::string> modelled;  // has no winner
  for (const auto& measure : measures)
    if (is_modelled(input, measure)) modelled.insert(measure);
  Table table;
  table.id = id;
  table.title = "Means" + phase + ": energy by domain, and time";
  table.badge = badge_of(input, input.primary);
  table.is_folded = true;
  table.columns = {text_column("case", "case"), text_column("level", level_title(input)),
                   number_column("n", "n")};
  for (const auto& measure : measures) {
    table.columns.push_back(
        number_column(measure, titled(input, measure), unit_of_measure(measure)));
    table.columns.push_back(number_column(measure + "_ratio", "/ least"));
  }
  for (const auto* one_case : cases) {
    std::map<std::string, double> least;
    for (const auto& runs : one_case->levels)
      for (const auto& measure : measures)
        if (const auto mean = cell_mean(input, runs, measure)) {
          const auto known = least.find(measure);
          if (known == least.end() || *mean < known->second) least[measure] = *mean;
        }
    for (std::size_t i = 0; i < one_case->levels.size(); ++i) {
      if (one_case->levels[i].empty()) continue;
      std::vector<TableCell> row{text_cell(case_label(input.study, one_case->cell)),
                                 text_cell(input.levels[i]),
                                 count_cell(one_case->levels[i].size())};
      for (const auto& measure : measures) {
        const auto mean = cell_mean(input, one_case->levels[i], measure);
        row.push_back(scaled_cell(mean));
        row.back().is_marked = mean && one_case->levels.size() > 1 && *mean == least[measure] &&
                               !modelled.contains(measure);
        row.push_back(mean && least[measure] > 0
                          ? TableCell{fmt::format("{:.3f}", *mean / least[measure]),
                                      *mean / least[measure], false}
                          : TableCell{});
      }
      table.rows.push_back(std::move(row));
    }
  }
  for (const auto& measure : measures)
    if (drop_if_empty(table, measure)) drop_if_empty(table, measure + "_ratio");
  table.note =
      "Arithmetic means over runs, as the studies print them. The lowest mean of a case is marked, "
      "whether or not a difference is shown.";
  // Without the domains the table has what a reader needs; they unfold.
  for (auto& column : table.columns)
    for (const auto& measure : measures)
      if (measure != headline_of(input) && measure != input.primary && measure != "seconds" &&
          (column.key == measure || column.key == measure + "_ratio"))
        column.is_detail = true;
  return table;
}

Table tests_table(const ReportInput& input, const std::string& phase_factor_name,
                  const std::string& phase, const std::string& id) {
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
  std::vector<ComparisonColumn> columns{
      case_column(input),
      {text_column("measure", "measure"), [&](const Comparison& one) {
         return text_cell(titled(input, one.measure) + (one.per ? " per " + one_of(one.per) : ""));
       }}};
  for (const char* name :
       {"pair", "n", "ratio", "interval", "p", "p_corrected", "rank_p", "rank_p_corrected", "a12"})
    columns.push_back(comparison_column(name));
  columns.push_back(titled_column("conclusion", "verdict", "verdict"));
  Table table = comparisons_table(columns, shown);
  table.id = id;
  table.title = "Ratios and tests" + (phase.empty() ? "" : " of " + phase);
  table.is_folded = true;
  table.badge = badge_of(input, input.primary);
  table.note =
      "Ratios are of geometric means, first / second. p is from a t test on logarithms, rank p "
      "from "
      "Wilcoxon's test; both are corrected by Holm within each measure. A12 is the chance that a "
      "run of the first costs more.";
  for (const char* key : {"n", "p", "rank_p", "rank_p_corrected", "a12"})
    table.columns[table.column(key)].is_detail = true;
  fold_column(table, "pair");
  return table;
}

void add_tables(const ReportInput& input, Part& part) {
  const auto factor = phase_factor(input.study);
  std::vector<std::string> phases{""};
  if (factor) phases = input.study.factors[*factor_index(input.study, *factor)].levels;
  for (const auto& phase : phases) {
    std::vector<const CaseRuns*> cases;
    for (const auto& one_case : input.cases)
      if (!factor || one_case.cell.at(*factor) == phase) cases.push_back(&one_case);
    const std::string suffix = phase.empty() ? "" : "-" + phase;
    part.add(means_table(input, cases, "means" + suffix, phase.empty() ? "" : " of " + phase));
    if (input.findings.value)
      part.add(tests_table(input, factor.value_or(""), phase, "tests" + suffix));
  }
}

/// A run and its figure.
using Dot = std::pair<double, const StoredRun*>;

/// The dots of one level of a case: in the order of the runs, or those that are shown of too many.
std::vector<Dot> shown_dots(std::vector<Dot> dots, const Thinning& thinning) {
  if (!thinning.is_needed()) return dots;
  std::stable_sort(dots.begin(), dots.end(),
                   [](const Dot& one, const Dot& other) { return one.first < other.first; });
  std::vector<Dot> shown;
  for (const std::size_t place : thinning.shown(dots.size())) shown.push_back(dots[place]);
  return shown;
}

Chart dots_chart(const ReportInput& input, const std::string& measure, const Thinning& thinning) {
  Table table, means;
  table.id = "runs-" + measure;
  table.title =
      (thinning.is_needed() ? "A sample of the runs: " : "Every run: ") + measure_title(measure);
  table.badge = badge_of(input, measure);
  table.columns = {text_column("case", "case"), text_column("level", level_title(input)),
                   text_column("run", "run"),
                   number_column("value", titled(input, measure), unit_of_measure(measure))};
  means.id = "means-of-runs-" + measure;
  means.title = "Mean of all runs: " + measure_title(measure);
  means.columns = table.columns;
  means.columns[2] = number_column("runs", "runs");
  double least = 0, most = 0;
  for (const auto& one_case : input.cases)
    for (std::size_t i = 0; i < one_case.levels.size(); ++i) {
      std::vector<Dot> dots;
      double sum = 0;
      for (const auto* run : one_case.levels[i])
        if (const auto value = run_figure(input, run->run, measure)) {
          dots.emplace_back(*value, run);
          sum += *value;
        }
      if (dots.empty()) continue;
      const std::string name = case_label(input.study, one_case.cell);
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
  Chart chart;
  chart.id = "dots-" + measure;
  chart.title = table.title;
  chart.says =
      fmt::format("{}, in a row for each case. A tick marks the mean of all runs of a cell.",
                  thinning.says("One dot", "spread evenly from the lowest to the highest"));
  chart.badge = table.badge;
  chart.kind = ChartKind::dots;
  chart.roles = {{"x", "value"}, {"y", "case"}, {"colour", "level"}, {"label", "run"}};
  if (least > 0 && most > 20 * least) chart.settings = {{"log", 1}};
  chart.tables.push_back(std::move(table));
  chart.tables.push_back(std::move(means));
  return chart;
}

void add_dots(const ReportInput& input, Part& part) {
  std::array<std::string, 2> measures{input.primary, "seconds"};
  if (headline_of(input) == measures::seconds) std::swap(measures[0], measures[1]);
  for (const auto& measure : measures) part.add(dots_chart(input, measure, thinning_of(input)));
}

void add_forest(const ReportInput& input, Part& part) {
  const auto& findings = *input.findings.value;
  std::vector<std::string> measures{headline_of(input)};
  for (const auto& more : {input.study.analysis.primary, std::string("seconds")})
    if (std::find(measures.begin(), measures.end(), more) == measures.end())
      measures.push_back(more);
  for (const auto& measure : measures) {
    // The first screen has the forest plot of two levels.
    if (measure == headline_of(input) && (input.levels.size() == 2 || input.cases.size() == 1))
      continue;
    Chart chart = ratios_chart(findings, measure, plain_names_of(input));
    chart.badge = badge_of(input, measure);
    part.add(std::move(chart));
  }
}

void add_groups(const ReportInput& input, Part& part) {
  Table table = groups_table(input.findings.value->groups, names_of(input));
  table.title = "Several cases as one" + (table.title.empty() ? "" : ": " + table.title);
  table.note =
      "Geometric means of the cases' ratios. The interval is over cases, not over runs, and needs "
      "at least three cases.";
  table.badge = badge_of(input, headline_of(input));
  table.is_folded = true;
  part.add(std::move(table));
}

}  // namespace

void add_costs(const ReportInput& input, Part& part) {
  const bool has_runs = std::any_of(input.cases.begin(), input.cases.end(), [](const auto& one) {
    return std::any_of(one.levels.begin(), one.levels.end(),
                       [](const auto& runs) { return !runs.empty(); });
  });
  if (!has_runs) return part.say("No run counts: none succeeded, or all are warm-ups or excluded.");
  add_dots(input, part);
  if (input.findings.value) {
    add_forest(input, part);
    add_groups(input, part);
  } else {
    part.say("There are no ratios. " + sentence(input.findings.why_not));
  }
  add_tables(input, part);
  if (!input.published.empty()) part.add(published_table(input));
}

}  // namespace prengdl
