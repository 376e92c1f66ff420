// SPDX-License-Identifier: Apache-2.0
//
// Part 3 (RQ2): what the energy was spent for: the metric that the runs told.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "report/accuracy_report.h"
#include "report/costs_words.h"
#include "report/report_cells.h"
#include "report/report_input.h"
#include "stats/summary.h"

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

/// The cost is time where energy is modelled, which has no front.
bool is_of_time(const Accuracy& accuracy) { return accuracy.settings.measure == "seconds"; }

/// Behind "energy" in titles.
std::string remark(const ReportInput& input) {
  return is_modelled(input, input.primary) ? " (modelled)" : "";
}

const UnitRuns* unit_at(const ReportInput& input, const CellPattern& cell) {
  for (const auto& unit : input.units)
    if (unit.cell == cell) return &unit;
  return nullptr;
}

/// What the units reach, in one word.
std::string reached_word(const Accuracy& accuracy) {
  return accuracy.only_metric().value_or("quality");
}

/// Neither data nor kinds of quality mix: what divides the bubbles into panels.
std::string panel_of(const ReportInput& input, const UnitAccuracy& unit) {
  const auto task = task_factor(input.study);
  if (input.accuracy.value->only_metric()) return task ? unit.cell.at(*task) : "";
  return (task ? unit.cell.at(*task) + ": " : "") + unit.metric;
}

ReportTable points_table(const ReportInput& input) {
  const Accuracy& accuracy = *input.accuracy.value;
  const auto metric = accuracy.only_metric();
  ReportTable table;
  table.id = "accuracy";
  table.title = "Energy, time and " + reached_word(accuracy);
  table.columns = {
      text_column("unit", "unit"),
      text_column("level", input.study.analysis.compare),
      number_column("n", "n"),
      number_column("energy", titled(input, input.primary), "J"),
      number_column("time", "time", "s"),
      number_column("metric", reached_word(accuracy)),
      text_column("better", "better is"),
      text_column("front", "on the front"),
      text_column("task", metric ? task_factor(input.study).value_or("task") : "quality is")};
  for (const auto& unit : accuracy.units)
    for (const auto& level : unit.levels) {
      std::optional<double> energy, seconds;
      if (const auto* runs = unit_at(input, unit.cell))
        for (std::size_t i = 0; i < input.levels.size(); ++i) {
          if (input.levels[i] != level.level) continue;
          energy = cell_mean(input, runs->levels[i], input.primary);
          seconds = cell_mean(input, runs->levels[i], "seconds");
        }
      table.rows.push_back({text_cell(unit_label(input.study, unit.cell)), text_cell(level.level),
                            count_cell(level.n), scaled_cell(energy), scaled_cell(seconds),
                            number_cell(level.metric),
                            text_cell(unit.lower_is_better ? "lower" : "higher"),
                            text_cell(!unit.reason.empty() ? ""
                                      : level.on_front     ? "yes"
                                                           : "no"),
                            text_cell(panel_of(input, unit))});
      table.rows.back()[is_of_time(accuracy) ? 4 : 3].is_marked =
          unit.reason.empty() && level.on_front;
    }
  table.note = fmt::format(
      "means over runs of the last value told; on the front of its unit: no other level takes at "
      "most as much {} and is at least as good",
      is_of_time(accuracy) ? "time" : "energy");
  return table;
}

void add_bubbles(const ReportInput& input, ReportPart& part) {
  const Accuracy& accuracy = *input.accuracy.value;
  ReportChart chart;
  chart.id = "bubbles";
  chart.title = "Energy, time and " + reached_word(accuracy);
  const bool is_time = is_of_time(accuracy);
  chart.says = fmt::format(
      "A bubble for each cell: across what it reaches, up the {}, as large as the {}; filled where "
      "it is on the front of its unit. The line is the front of all bubbles of a panel.",
      is_time ? "time" : "energy", is_time ? "modelled energy" : "run time");
  chart.kind = ChartKind::bubble;
  chart.roles = {{"x", "metric"},
                 {"y", is_time ? "time" : "energy"},
                 {"size", is_time ? "energy" : "time"},
                 {"colour", "level"},
                 {"front", "front"},
                 {"better", "better"},
                 {"label", "unit"}};
  if (task_factor(input.study) || !accuracy.only_metric())
    chart.roles.emplace_back("facet", "task");
  chart.tables.push_back(points_table(input));
  part.add(std::move(chart));
}

void add_dominance(const ReportInput& input, ReportPart& part) {
  ReportTable table;
  table.id = "dominance";
  table.title = std::string("How often one level is both ") +
                (is_of_time(*input.accuracy.value) ? "faster" : "cheaper") +
                " and at least as good";
  table.columns = {text_column("unit", "unit"),
                   text_column("pair", "pair"),
                   number_column("first", "first dominates"),
                   number_column("second", "second dominates"),
                   number_column("neither", "neither"),
                   number_column("n", "pairs of runs")};
  for (const auto& unit : input.accuracy.value->units)
    for (const auto& pair : unit.pairs) {
      if (pair.n == 0) continue;
      const double rest = 1 - pair.first - pair.second;
      table.rows.push_back({text_cell(unit_label(input.study, unit.cell)),
                            text_cell(pair.pair[0] + " / " + pair.pair[1]),
                            {whole_percent(pair.first), pair.first, false},
                            {whole_percent(pair.second), pair.second, false},
                            {whole_percent(rest), rest, false},
                            count_cell(pair.n)});
    }
  fold_column(table, "pair");
  part.add(std::move(table));
}

/// What the epochs cost so far and the metric at the end of each: means over runs. Time where
/// energy is only modelled: the model knows of spans no more than their time.
void add_learning(const ReportInput& input, ReportPart& part) {
  const Accuracy& accuracy = *input.accuracy.value;
  const bool is_time = is_of_time(accuracy);
  const std::string word = reached_word(accuracy);
  const std::string cost = is_time ? "Time" : "Energy";
  ReportTable table;
  table.id = "learning";
  table.title = cost + " until the end of each epoch, and " + word;
  table.columns = {text_column("unit", "unit"),
                   text_column("level", input.study.analysis.compare),
                   text_column("epoch", "epoch"),
                   is_time ? number_column("cost", "time so far", "s")
                           : number_column("cost", "energy so far", "J"),
                   number_column("metric", word),
                   text_column("measure", "quality is")};
  for (const auto& judged : accuracy.units) {
    const auto* unit = unit_at(input, judged.cell);
    for (std::size_t i = 0; unit && i < unit->levels.size(); ++i) {
      std::vector<std::string> epochs;
      std::map<std::string, std::vector<double>> costs, reached;
      for (const auto* run : unit->levels[i]) {
        double so_far = 0;
        for (const auto& span : run->run.spans) {
          if (span.span.span != "epoch" || (!is_time && !span.energy.metered)) continue;
          so_far += is_time ? static_cast<double>(span.span.end_ns - span.span.begin_ns) * 1e-9
                            : span.energy.metered->value.value;
          for (const auto& told : run->run.metrics) {
            if (told.name != judged.metric || told.at_ns < span.span.begin_ns ||
                told.at_ns > span.span.end_ns)
              continue;
            if (!reached.contains(span.span.name)) epochs.push_back(span.span.name);
            costs[span.span.name].push_back(so_far);
            reached[span.span.name].push_back(told.value);
          }
        }
      }
      for (const auto& epoch : epochs)
        table.rows.push_back({text_cell(unit_label(input.study, judged.cell)),
                              text_cell(input.levels[i]), text_cell(epoch),
                              scaled_cell(mean(costs[epoch])), number_cell(mean(reached[epoch])),
                              text_cell(accuracy.only_metric() ? "" : judged.metric)});
    }
  }
  drop_if_empty(table, "measure");
  ReportChart chart;
  chart.id = is_time ? "time-to-accuracy" : "energy-to-accuracy";
  chart.title = cost + " to " + word;
  chart.says =
      std::string("A panel for each unit and a line for each level: how far the metric is ") +
      "after how much " + (is_time ? "time" : "energy") + ", epoch by epoch.";
  chart.kind = ChartKind::lines;
  chart.roles = {
      {"x", "cost"}, {"y", "metric"}, {"colour", "level"}, {"facet", "unit"}, {"label", "epoch"}};
  chart.settings = {{"points", 1}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

void add_reach(const ReportInput& input, ReportPart& part) {
  ReportTable table;
  table.id = "reach";
  table.title = "Energy and time until a target is reached";
  table.columns = {text_column("unit", "unit"),
                   text_column("measure", "quality is"),
                   number_column("target", "target"),
                   text_column("level", input.study.analysis.compare),
                   number_column("reached", "runs that reach it"),
                   number_column("runs", "of"),
                   number_column("energy", "median energy" + remark(input), "J"),
                   number_column("time", "median time", "s"),
                   text_column("pairs", "takes less in pairs of runs")};
  bool is_whole = true;
  for (const auto& reaches : input.reaches)
    for (const auto& unit : reaches.units)
      for (const auto& level : unit.levels) {
        is_whole = is_whole && level.whole;
        std::string less;
        for (const auto& pair : unit.pairs)
          if (pair.pair[0] == level.level)
            less += (less.empty() ? "" : ", ") + whole_percent(pair.first_less) + " against " +
                    pair.pair[1];
        table.rows.push_back(
            {text_cell(unit_label(input.study, unit.cell)),
             text_cell(input.accuracy.value->only_metric() ? "" : reaches.settings.metric),
             number_cell(reaches.settings.target), text_cell(level.level),
             count_cell(level.reached), count_cell(level.reached + level.not_reached),
             scaled_cell(level.median_joules), scaled_cell(level.median_seconds), text_cell(less)});
      }
  table.note =
      "the target of a unit is what its weaker level reaches in the mean, unless one was given; "
      "from the start of a run to "
      "the end of the first epoch that reaches it; a run that does not reach it is above all "
      "others";
  if (!is_whole)
    table.note +=
        "; the energy is that of the epochs alone, without what lies before and between them";
  drop_if_empty(table, "measure");
  drop_if_empty(table, "pairs");
  part.add(std::move(table));
}

}  // namespace

ReportPart accuracy_part(const ReportInput& input) {
  ReportPart part{"accuracy", "RQ2: energy, time and accuracy", {}};
  if (!input.accuracy.value || input.accuracy.value->units.empty()) {
    part.say(input.accuracy.value
                 ? "No run told a metric such as accuracy and has energy, so there is nothing to "
                   "set against the "
                   "energy; workloads tell it with prengdl.metric(\"accuracy\", value)."
                 : input.accuracy.why_not);
    return part;
  }
  if (is_of_time(*input.accuracy.value))
    part.caution(
        "The energy is modelled, not measured: what is faster and at least as good is told from "
        "time.");
  add_bubbles(input, part);
  for (const auto& unit : input.accuracy.value->units)
    if (!unit.reason.empty()) {
      part.caution("There is no front: " + unit.reason + ".");
      break;
    }
  add_dominance(input, part);
  add_learning(input, part);
  add_reach(input, part);
  return part;
}

}  // namespace prengdl
