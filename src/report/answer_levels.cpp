// SPDX-License-Identifier: Apache-2.0
//
// Part 1 for a study of many levels: how each stands among the others, instead of a sentence for
// each pair.
#include <fmt/core.h>

#include "base/amounts.h"
#include "print/compare.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

Table levels_table(const ReportInput& input, const Standings& all, const std::string& measure) {
  Table table = standings_table(all, names_of(input));
  table.title = "How the levels stand (" + titled(input, measure) + ")";
  table.note =
      "Over the lowest: a level's cost over the lowest of its case, geometric mean over cases. "
      "Costs less, costs more: comparisons with one other level in one case that show it.";
  return table;
}

Table cases_table(const ReportInput& input, const Standings& all, const std::string& measure) {
  Table table;
  table.id = "lowest";
  table.title = "Which has the lowest cost, case by case (" + titled(input, measure) + ")";
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
  table.note = "costs are geometric means over runs";
  drop_if_empty(table, "per");
  return table;
}

}  // namespace

bool say_standings(const ReportInput& input, const std::string& measure, Part& part) {
  const Standings all = standings(*input.findings.value, measure);
  if (all.comparisons == 0) return false;
  if (is_modelled(input, measure)) return true;
  part.say(fmt::format("{} of {} of two levels of {} show a difference in {}.", all.shown,
                       counted(all.comparisons, "comparison"), input.study.analysis.compare,
                       measure_title(measure)),
           Paragraph::Tone::answer);
  const LevelStanding& first = all.levels.front();
  part.say(fmt::format(
      "Nearest to the lowest cost over all cases is {}, at {} times it on average: {} "
      "that it costs less, {} that it costs more.",
      first.level, ratio_text(first.over_least),
      counted(first.less, "comparison") + (first.less == 1 ? " shows" : " show"), first.more));
  part.add(levels_table(input, all, measure));
  part.add(cases_table(input, all, measure));
  part.say("All pairs are in part 2.");
  return true;
}

}  // namespace prengdl
