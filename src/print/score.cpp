// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/amounts.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "print/costs.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// "37 %": a probability to whole percents.
TableCell percent_cell(double share) {
  return {fmt::format("{:.0f} %", share * 100), share, false};
}

/// Without a single run that reported the metric there is only this to say.
std::string unreported(const Scores& accuracy, const Style& style) {
  const auto& metric = accuracy.settings.metric;
  std::string text = metric.empty()
                         ? "no run with energy emitted one of the usual metrics of a score"
                         : fmt::format("no run with energy emitted '{}'", metric);
  if (const auto near = nearest(metric, accuracy.metrics))
    text += fmt::format("; did you mean {}?", *near);
  else if (!accuracy.metrics.empty())
    text += "; they emitted " + listed({accuracy.metrics.begin(), accuracy.metrics.end()});
  Part part{"accuracy", "energy against accuracy", {}};
  part.caution(text);
  return part_text(part, style);
}

std::string direction_word(bool lower_is_better) {
  return lower_is_better ? "lower is better" : "higher is better";
}

Table score_table(const Scores& accuracy, const std::string& cost, const std::string& unit) {
  const auto metric = accuracy.only_metric();
  Table table;
  table.columns = {text_column("case", "case"),
                   text_column("level", "level"),
                   number_column("n", "n"),
                   number_column("cost", cost, unit),
                   number_column("metric", metric.value_or("score")),
                   text_column("quality", ""),
                   text_column("front", "")};
  for (const auto& one_case : accuracy.cases)
    for (const auto& level : one_case.levels)
      table.add(
          {text_cell(case_name(one_case.cell)), text_cell(level.level), count_cell(level.n),
           scaled_cell(level.cost), number_cell(level.metric),
           text_cell(metric ? ""
                            : one_case.metric + ", " + direction_word(one_case.lower_is_better)),
           text_cell((level.on_front ? "on the Pareto front" : "") +
                     quality_remark(one_case.quality))});
  return table;
}

}  // namespace

Table dominance_table(const Scores& accuracy, const Names& names) {
  Table table;
  table.id = "dominance";
  table.columns = {text_column("case", "case"),
                   text_column("pair", "pair"),
                   number_column("first", "first dominates"),
                   number_column("second", "second dominates"),
                   number_column("neither", "neither"),
                   number_column("n", "pairs of runs")};
  for (const auto& one_case : accuracy.cases)
    for (const auto& pair : one_case.pairs)
      if (pair.n > 0)
        table.add({text_cell(names.of_case(one_case.cell)), text_cell(pair_name(pair.pair)),
                   percent_cell(pair.first), percent_cell(pair.second),
                   percent_cell(1 - pair.first - pair.second), count_cell(pair.n)});
  return table;
}

std::string scores_text(const Scores& accuracy, const Style& style) {
  if (accuracy.cases.empty()) return unreported(accuracy, style);
  const bool is_time = is_in_seconds(accuracy.settings.measure);
  const std::string cost = is_time ? "time" : "energy";
  const auto metric = accuracy.only_metric();
  Part part{"accuracy", cost + " against " + metric.value_or("score"), {}};
  if (metric) part.remark = direction_word(accuracy.cases[0].lower_is_better);
  part.add(score_table(accuracy, cost, is_time ? "s" : "J"));
  part.note("Means over runs of the last value that each run reported.");
  for (const auto& one_case : accuracy.cases)
    if (!one_case.reason.empty())
      part.caution(case_name(one_case.cell) + ": no Pareto front: " + one_case.reason);
  Table dominance = dominance_table(accuracy, {});
  dominance.title = "How often one level dominates";
  fold_column(dominance, "pair");
  dominance.note = "One level dominates if it takes less " + cost + " and is at least as good.";
  part.add(std::move(dominance));
  return part_text(part, style);
}

Json scores_json(const Scores& accuracy) {
  Json json{{"measure", accuracy.settings.measure}};
  const char* cost = is_in_seconds(accuracy.settings.measure) ? "seconds" : "joules";
  json["cases"] = Json::array();
  for (const auto& one_case : accuracy.cases) {
    Json one{{"cell", case_json(one_case.cell)},
             {"metric", one_case.metric},
             {"lower_is_better", one_case.lower_is_better}};
    if (one_case.quality) one["quality"] = name_of(*one_case.quality);
    one["levels"] = Json::object();
    for (const auto& level : one_case.levels) {
      Json figures{{"n", level.n}, {cost, level.cost}, {"value", level.metric}};
      if (one_case.reason.empty()) figures["on_front"] = level.on_front;
      one["levels"][level.level] = std::move(figures);
    }
    one["dominance"] = Json::array();
    for (const auto& pair : one_case.pairs)
      if (pair.n > 0)
        one["dominance"].push_back({{"pair", pair.pair},
                                    {"paired", pair.paired},
                                    {"n", pair.n},
                                    {"first", pair.first},
                                    {"second", pair.second}});
    if (!one_case.reason.empty()) one["reason"] = one_case.reason;
    json["cases"].push_back(std::move(one));
  }
  return json;
}

Table reach_table(const std::vector<CostsToScore>& all, const Names& names) {
  Table table;
  table.id = "reach";
  table.columns = {text_column("case", "case"),
                   text_column("measure", "score"),
                   number_column("target", "target"),
                   text_column("level", names.compared),
                   number_column("reached", "runs that reach it"),
                   number_column("runs", "of"),
                   number_column("energy", "median energy", "J"),
                   number_column("time", "median time", "s"),
                   text_column("pairs", "takes less in pairs of runs")};
  for (const auto& reaches : all)
    for (const auto& one_case : reaches.cases)
      for (const auto& level : one_case.levels) {
        std::vector<std::string> less;
        for (const auto& pair : one_case.pairs)
          if (pair.pair[0] == level.level)
            less.push_back(percent_cell(pair.first_less).text + " against " + pair.pair[1]);
        table.add({text_cell(names.of_case(one_case.cell)), text_cell(reaches.settings.metric),
                   number_cell(reaches.settings.target), text_cell(level.level),
                   count_cell(level.reached), count_cell(level.reached + level.not_reached),
                   scaled_cell(level.median_joules), scaled_cell(level.median_seconds),
                   text_cell(joined(less, ", "))});
      }
  drop_if_empty(table, "pairs");
  return table;
}

std::string cost_to_score_text(const CostsToScore& reaches, const Style& style) {
  const auto& settings = reaches.settings;
  Part part{"reach",
            fmt::format("energy to reach {} {} {:.4g}", settings.metric,
                        settings.lower_is_better ? "<=" : ">=", settings.target),
            {}};
  if (reaches.cases.empty()) {
    part.caution(
        fmt::format("no run emitted {} within a span '{}'", settings.metric, settings.span));
    return part_text(part, style);
  }
  part.note(fmt::format("From the start of a run to the end of the first {} that reaches it.",
                        settings.span));
  Table table = reach_table({reaches}, {});
  drop_column(table, "measure");  // the title says them
  drop_column(table, "target");
  part.add(std::move(table));
  part.note(
      "Medians over all runs that emit it; a run that does not reach it counts as higher than all "
      "others.");
  bool any_sum = false;
  std::string quality;
  for (const auto& one_case : reaches.cases) {
    quality = quality_remark(one_case.quality);
    for (const auto& level : one_case.levels) {
      any_sum = any_sum || (level.median_joules && !level.whole);
      if (level.untold > 0)
        part.caution(fmt::format("{} {}: {} without the metric", case_name(one_case.cell),
                                 level.level, counted(level.untold, "run")));
    }
  }
  part.remark = quality;
  if (any_sum)
    part.note("The energy is that of the epochs, without anything before or between them.");
  return part_text(part, style);
}

Json cost_to_score_json(const CostsToScore& reaches) {
  const auto& settings = reaches.settings;
  Json json{{"metric", settings.metric},
            {"target", settings.target},
            {"lower_is_better", settings.lower_is_better},
            {"span", settings.span},
            {"measure", settings.measure}};
  json["cases"] = Json::array();
  for (const auto& one_case : reaches.cases) {
    Json one{{"cell", case_json(one_case.cell)}};
    if (one_case.quality) one["quality"] = name_of(*one_case.quality);
    one["levels"] = Json::object();
    for (const auto& level : one_case.levels) {
      Json figures{
          {"reached", level.reached}, {"not_reached", level.not_reached}, {"untold", level.untold}};
      if (level.median_joules) figures["median_joules"] = *level.median_joules;
      if (level.median_seconds) figures["median_seconds"] = *level.median_seconds;
      if (level.mean_joules) figures["mean_joules_of_reached"] = *level.mean_joules;
      if (level.mean_joules) figures["energy_from"] = level.whole ? "samples" : "epochs";
      one["levels"][level.level] = std::move(figures);
    }
    one["pairs"] = Json::array();
    for (const auto& pair : one_case.pairs)
      one["pairs"].push_back({{"pair", pair.pair}, {"n", pair.n}, {"first_less", pair.first_less}});
    json["cases"].push_back(std::move(one));
  }
  return json;
}

}  // namespace prengdl
