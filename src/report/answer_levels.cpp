// SPDX-License-Identifier: Apache-2.0
//
// Of the answer: the picture of the first screen, and for a study of many levels how each stands
// among the others instead of a sentence for each pair.
#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"
#include "base/parse.h"
#include "print/compare.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

Table levels_table(const ReportInput& input, const Standings& all, const std::string& measure) {
  Table table = standings_table(all, names_of(input));
  table.title = "How the levels compare by " + measure_title(measure);
  table.badge = badge_of(input, measure);
  table.note =
      "Over the lowest: a level's cost divided by the lowest of its case, as the geometric mean "
      "over cases. Costs less, costs more: how many comparisons with one other level show it.";
  return table;
}

Table cases_table(const ReportInput& input, const Standings& all, const std::string& measure) {
  Table table;
  table.id = "lowest";
  table.title = "The lowest " + measure_title(measure) + ", case by case";
  table.badge = badge_of(input, measure);
  table.columns = {text_column("case", "case"),
                   text_column("level", input.study.analysis.compare),
                   number_column("cost", "cost", unit_of_measure(measure)),
                   text_column("per", "per"),
                   number_column("others", "others"),
                   text_column("rivals", "not shown to cost more")};
  for (const auto& one : all.cases)
    table.rows.push_back({text_cell(case_label(input.study, one.cell)), text_cell(one.least),
                          scaled_cell(one.cost), text_cell(one.per ? one_of(one.per) : ""),
                          count_cell(one.others), text_cell(listed(one.not_shown_to_cost_more))});
  table.note = "Costs are geometric means over runs.";
  drop_if_empty(table, "per");
  return table;
}

/// Of several levels in several cases: a row for each level with a dot for each case. There are too
/// many pairs for a row each, and the intervals are in the charts below.
Chart levels_chart(const ReportInput& input, const std::string& measure) {
  const auto rows = against_the_lowest(*input.findings.value, measure);
  const Standings all = standings(*input.findings.value, measure);
  Table table, means;
  table.id = "over-lowest";
  table.title = measure_title(measure) + " over the lowest of each case";
  table.columns = {text_column("level", level_title(input)), text_column("case", "case"),
                   number_column("ratio", "over the lowest")};
  means = table;
  means.id = "over-lowest-means";
  means.title = "Geometric means over cases";
  means.columns.erase(means.columns.begin() + 1);
  for (const auto& standing : all.levels) {
    means.add({text_cell(standing.level), ratio_cell(standing.over_least)});
    for (const auto& one : all.cases)
      if (one.least == standing.level)
        table.add({text_cell(standing.level), text_cell(case_label(input.study, one.cell)),
                   ratio_cell(1)});
    for (const auto& one : rows)
      if (one.pair[0] == standing.level && one.estimate)
        table.add({text_cell(standing.level), text_cell(case_label(input.study, one.cell)),
                   ratio_cell(one.estimate->value)});
  }
  Chart chart;
  chart.id = "overview";
  chart.title = table.title;
  chart.says =
      "A row for each level and a dot for each case: its cost over the lowest of that case. The "
      "diamond is the geometric mean.";
  chart.kind = ChartKind::dots;
  chart.roles = {{"x", "ratio"}, {"y", "level"}, {"colour", "level"}, {"label", "case"}};
  for (const auto& level : input.levels) chart.coloured.push_back(text_cell(level).text);
  chart.tables = {std::move(table), std::move(means)};
  return chart;
}

/// Cases that differ in one factor without an order of its own: they are shown by their ratio.
bool has_nominal_cases(const Study& study) {
  std::size_t varied = 0;
  bool is_nominal = false;
  for (const auto& factor : study.factors) {
    if (factor.name == study.analysis.compare || factor.levels.size() < 2) continue;
    ++varied;
    is_nominal = !std::all_of(factor.levels.begin(), factor.levels.end(),
                              [](const auto& level) { return parse_number(level); });
  }
  return varied == 1 && is_nominal;
}

void sort_by_ratio(Table& table) {
  const std::size_t ratio = table.column("ratio"), kind = table.column("kind");
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
    const bool is_case = a[kind].text == "case";
    if (is_case != (b[kind].text == "case")) return is_case;
    return is_case && a[ratio].number < b[ratio].number;
  });
}

}  // namespace

Chart overview_chart(const ReportInput& input) {
  const auto& findings = *input.findings.value;
  const std::string measure = headline_of(input);
  const bool has_one_pair = findings.levels.size() == 2;
  Chart chart = has_one_pair || input.cases.size() == 1
                    ? ratios_chart(findings, measure, plain_names_of(input))
                    : levels_chart(input, measure);
  if (has_one_pair && has_nominal_cases(input.study)) sort_by_ratio(chart.tables[0]);
  chart.badge = badge_of(input, measure);
  chart.is_overview = true;
  return chart;
}

bool say_standings(const ReportInput& input, const std::string& measure, Part& part) {
  const Standings all = standings(*input.findings.value, measure);
  if (all.comparisons == 0) return false;
  if (is_modelled(input, measure)) return true;
  part.say(fmt::format("{} of {} between two levels of {} show a difference in {}.", all.shown,
                       counted(all.comparisons, "comparison"), input.study.analysis.compare,
                       measure_title(measure)),
           Paragraph::Tone::answer);
  const LevelStanding& first = all.levels.front();
  part.say(fmt::format(
      "{} is nearest to the lowest cost: {} times the lowest on average over the cases. {} that it "
      "costs less than another level, {} that it costs more.",
      first.level, ratio_text(first.over_least),
      counted(first.less, "comparison") + (first.less == 1 ? " shows" : " show"), first.more));
  part.add(levels_table(input, all, measure));
  part.add(cases_table(input, all, measure));
  return true;
}

}  // namespace prengdl
