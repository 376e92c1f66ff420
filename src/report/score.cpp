// SPDX-License-Identifier: Apache-2.0
//
// "Does accuracy suffer?": the scores that the energy was spent on.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "print/costs.h"
#include "report/report_input.h"
#include "stats/summary.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// Accuracies on different data cannot be compared: each set of data gets a panel of its own.
std::optional<std::string> task_factor(const Study& study) {
  for (const char* name : {"dataset", "data_set", "data", "task"})
    for (const auto& factor : study.factors)
      if (factor.name == name && factor.name != study.analysis.compare && factor.levels.size() > 1)
        return name;
  return std::nullopt;
}

/// The cost is time if energy was modelled, which has no front.
bool is_of_time(const Scores& accuracy) { return is_in_seconds(accuracy.settings.measure); }

const CaseRuns* case_at(const ReportInput& input, const CellPattern& cell) {
  for (const auto& one_case : input.cases)
    if (one_case.cell == cell) return &one_case;
  return nullptr;
}

/// What the cases reach, in one word.
std::string reached_word(const Scores& accuracy) {
  return accuracy.only_metric().value_or("score");
}

/// Neither data nor kinds of quality mix: what divides the bubbles into panels.
std::string panel_of(const ReportInput& input, const CaseScores& one_case) {
  const auto task = task_factor(input.study);
  if (input.scores.value->only_metric()) return task ? one_case.cell.at(*task) : "";
  return (task ? one_case.cell.at(*task) + ": " : "") + one_case.metric;
}

Table points_table(const ReportInput& input) {
  const Scores& accuracy = *input.scores.value;
  const auto metric = accuracy.only_metric();
  Table table;
  table.id = "accuracy";
  table.title = "Energy, time and " + reached_word(accuracy);
  table.columns = {
      text_column("case", "case"),
      text_column("level", input.study.analysis.compare),
      number_column("n", "n"),
      number_column("energy", titled(input, input.primary), "J"),
      number_column("time", "time", "s"),
      number_column("metric", reached_word(accuracy)),
      text_column("better", "better is"),
      text_column("front", "on the front"),
      text_column("task", metric ? task_factor(input.study).value_or("task") : "score is")};
  for (const auto& one_case : accuracy.cases)
    for (const auto& level : one_case.levels) {
      std::optional<double> energy, seconds;
      if (const auto* runs = case_at(input, one_case.cell))
        for (std::size_t i = 0; i < input.levels.size(); ++i) {
          if (input.levels[i] != level.level) continue;
          energy = cell_mean(input, runs->levels[i], input.primary);
          seconds = cell_mean(input, runs->levels[i], "seconds");
        }
      table.rows.push_back({text_cell(case_label(input.study, one_case.cell)),
                            text_cell(level.level), count_cell(level.n), scaled_cell(energy),
                            scaled_cell(seconds), number_cell(level.metric),
                            text_cell(one_case.lower_is_better ? "lower" : "higher"),
                            text_cell(!one_case.reason.empty() ? ""
                                      : level.on_front         ? "yes"
                                                               : "no"),
                            text_cell(panel_of(input, one_case))});
      table.rows.back()[is_of_time(accuracy) ? 4 : 3].is_marked =
          one_case.reason.empty() && level.on_front;
    }
  table.badge = badge_of(input, input.primary);
  table.note = fmt::format(
      "Means over runs of the last value that each run reported. A level is on the front of its "
      "case if no other level uses at most as much {} and scores at least as well.",
      is_of_time(accuracy) ? "time" : "energy");
  return table;
}

void add_bubbles(const ReportInput& input, Part& part) {
  const Scores& accuracy = *input.scores.value;
  Chart chart;
  chart.id = "bubbles";
  chart.title = "Energy, time and " + reached_word(accuracy);
  const bool is_time = is_of_time(accuracy);
  chart.badge = badge_of(input, input.primary);
  chart.says = fmt::format(
      "A bubble for each cell: better scores are higher, and less {} is further left. The size is "
      "the {}. Filled bubbles are on the front of their case; the line is the front of a panel.",
      is_time ? "time" : "energy", is_time ? "modelled energy" : "run time");
  chart.kind = ChartKind::bubble;
  chart.roles = {{"x", is_time ? "time" : "energy"},
                 {"y", "metric"},
                 {"size", is_time ? "energy" : "time"},
                 {"colour", "level"},
                 {"front", "front"},
                 {"better", "better"},
                 {"label", "case"}};
  if (task_factor(input.study) || !accuracy.only_metric())
    chart.roles.emplace_back("facet", "task");
  chart.tables.push_back(points_table(input));
  part.add(std::move(chart));
}

void add_dominance(const ReportInput& input, Part& part) {
  Table table = dominance_table(*input.scores.value, names_of(input));
  table.title = std::string("How often one level is both ") +
                (is_of_time(*input.scores.value) ? "faster" : "cheaper") + " and at least as good";
  fold_column(table, "pair");
  part.add(std::move(table));
}

/// What the epochs cost so far and the metric at the end of each: means over runs. Time where
/// energy is only modelled: the model knows of spans no more than their time.
void add_learning(const ReportInput& input, Part& part) {
  const Scores& accuracy = *input.scores.value;
  const bool is_time = is_of_time(accuracy);
  const std::string word = reached_word(accuracy);
  const std::string cost = is_time ? "Time" : "Energy";
  Table table;
  table.id = "learning";
  table.title = cost + " until the end of each epoch, and " + word;
  table.columns = {text_column("case", "case"),
                   text_column("level", input.study.analysis.compare),
                   text_column("epoch", "epoch"),
                   is_time ? number_column("cost", "time so far", "s")
                           : number_column("cost", "energy so far", "J"),
                   number_column("metric", word),
                   text_column("measure", "score is"),
                   text_column("better", "better is")};
  for (const auto& judged : accuracy.cases) {
    const auto* one_case = case_at(input, judged.cell);
    for (std::size_t i = 0; one_case && i < one_case->levels.size(); ++i) {
      std::vector<std::string> epochs;
      std::map<std::string, std::vector<double>> costs, reached;
      for (const auto* run : one_case->levels[i]) {
        double so_far = 0;
        for (const auto& span : run->run.spans) {
          if (span.span.span != "epoch" || (!is_time && !span.energy.metered)) continue;
          so_far += is_time ? static_cast<double>(span.span.end_ns - span.span.begin_ns) * 1e-9
                            : span.energy.metered->value.value;
          for (const auto& emitted : run->run.metrics) {
            if (emitted.name != judged.metric || emitted.at_ns < span.span.begin_ns ||
                emitted.at_ns > span.span.end_ns)
              continue;
            if (!reached.contains(span.span.name)) epochs.push_back(span.span.name);
            costs[span.span.name].push_back(so_far);
            reached[span.span.name].push_back(emitted.value);
          }
        }
      }
      for (const auto& epoch : epochs)
        table.rows.push_back({text_cell(case_label(input.study, judged.cell)),
                              text_cell(input.levels[i]), text_cell(epoch),
                              scaled_cell(mean(costs[epoch])), number_cell(mean(reached[epoch])),
                              text_cell(accuracy.only_metric() ? "" : judged.metric),
                              text_cell(judged.lower_is_better ? "lower" : "higher")});
    }
  }
  drop_if_empty(table, "measure");
  Chart chart;
  chart.id = is_time ? "time-to-accuracy" : "energy-to-accuracy";
  chart.title = cost + " to " + word;
  chart.badge = is_time ? "" : badge_of(input, input.primary);
  chart.says =
      std::string("A panel for each case and a line for each level: the score after how much ") +
      (is_time ? "time" : "energy") + ", epoch by epoch. Better is always up.";
  chart.kind = ChartKind::lines;
  chart.roles = {{"x", "cost"},     {"y", "metric"},    {"colour", "level"},
                 {"facet", "case"}, {"label", "epoch"}, {"better", "better"}};
  chart.settings = {{"points", 1}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

void add_reach(const ReportInput& input, Part& part) {
  Table table = reach_table(input.costs_to_score, names_of(input));
  table.title = "Energy and time until a target is reached";
  if (input.scores.value->only_metric()) drop_column(table, "measure");
  bool is_whole = true;
  for (const auto& reaches : input.costs_to_score)
    for (const auto& one_case : reaches.cases)
      for (const auto& level : one_case.levels) is_whole = is_whole && level.whole;
  table.note =
      "The target of a case is what its weaker level reaches on average, unless you give one. "
      "Figures are from the start of a run to the end of the first epoch that reaches the target. "
      "A run that does not reach it counts as more than all others.";
  if (!is_whole)
    table.note += " The energy is that of the epochs, without what lies before and between them.";
  table.badge = badge_of(input, input.primary);
  part.add(std::move(table));
}

}  // namespace

Part scores_part(const ReportInput& input) {
  Part part{"accuracy", "Does accuracy suffer?", {}};
  part.tag = "RQ2";
  if (!input.scores.value || input.scores.value->cases.empty()) {
    part.absent = input.scores.value ? "No run reported a score. Emit one with "
                                       "`prengdl.metric(\"accuracy\", value)`."
                                     : sentence(input.scores.why_not);
    return part;
  }
  add_bubbles(input, part);
  for (const auto& one_case : input.scores.value->cases)
    if (!one_case.reason.empty()) {
      part.note("There is no front: " + sentence(one_case.reason));
      break;
    }
  add_dominance(input, part);
  add_learning(input, part);
  add_reach(input, part);
  return part;
}

}  // namespace prengdl
