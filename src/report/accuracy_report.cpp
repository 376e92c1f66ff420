// SPDX-License-Identifier: Apache-2.0
#include "report/accuracy_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/costs_words.h"
#include "report/table.h"

namespace prengdl {
namespace {

using Align = Table::Align;

/// Without a single run that told the metric there is only this to say.
std::string untold(const Accuracy& accuracy, const Style& style) {
  const auto& metric = accuracy.settings.metric;
  std::string text = metric.empty()
                         ? "no run told a metric that quality is usually judged by and has energy"
                         : fmt::format("no run told '{}' and has energy", printable(metric));
  std::string names;
  for (const auto& name : accuracy.metrics) names += (names.empty() ? "" : ", ") + printable(name);
  if (const auto near = nearest(metric, accuracy.metrics))
    text += fmt::format("; did you mean {}?", printable(*near));
  else if (!names.empty())
    text += "; they told " + names;
  return style.bold("energy against accuracy") + "\n  " + style.warn(text) + "\n\n";
}

std::string direction_word(bool lower_is_better) {
  return lower_is_better ? "lower is better" : "higher is better";
}

}  // namespace

std::string whole_percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string accuracy_text(const Accuracy& accuracy, const Style& style) {
  if (accuracy.units.empty()) return untold(accuracy, style);
  const bool is_time = accuracy.settings.measure == "seconds";
  const std::string cost = is_time ? "time" : "energy";
  const auto metric = accuracy.only_metric();
  std::string out = style.bold(cost + " against " + (metric ? printable(*metric) : "quality")) +
                    style.dim("   means over runs of the last value told" +
                              (metric ? "; " + direction_word(accuracy.units[0].lower_is_better)
                                      : std::string())) +
                    "\n";
  Table levels({{"unit", Align::left},
                {"level", Align::left},
                {"n", Align::right},
                {cost, Align::right},
                {metric ? printable(*metric) : "quality", Align::right},
                {"", Align::left},
                {"", Align::left}});
  Table pairs({{"unit", Align::left},
               {"pair", Align::left},
               {"first dominates", Align::right},
               {"second dominates", Align::right},
               {"neither", Align::right},
               {"pairs of runs", Align::right}});
  for (const auto& unit : accuracy.units) {
    for (const auto& level : unit.levels)
      levels.add(
          {unit_name(unit.cell), printable(level.level), std::to_string(level.n),
           with_prefix(level.cost, is_time ? "s" : "J"), fmt::format("{:.4g}", level.metric),
           metric ? "" : printable(unit.metric) + ", " + direction_word(unit.lower_is_better),
           (level.on_front ? "on the Pareto front" : "") + quality_remark(unit.quality)});
    for (const auto& pair : unit.pairs)
      if (pair.n > 0)
        pairs.add({unit_name(unit.cell), printable(pair.pair[0] + " : " + pair.pair[1]),
                   whole_percent(pair.first), whole_percent(pair.second),
                   whole_percent(1 - pair.first - pair.second),
                   fmt::format("{}{}", pair.n, pair.paired ? ", of a block" : ", each with each")});
  }
  out += levels.text("  ", style);
  for (const auto& unit : accuracy.units)
    if (!unit.reason.empty())
      out += "  " +
             style.warn(unit_name(unit.cell) + ": no Pareto front: " + printable(unit.reason)) +
             "\n";
  if (!pairs.empty())
    out += style.dim("  one dominates: less " + cost + " and at least as good") + "\n" +
           pairs.text("  ", style);
  return out + "\n";
}

Json accuracy_json(const Accuracy& accuracy) {
  Json json{{"measure", accuracy.settings.measure}};
  const char* cost = accuracy.settings.measure == "seconds" ? "seconds" : "joules";
  json["units"] = Json::array();
  for (const auto& unit : accuracy.units) {
    Json one{{"cell", unit_json(unit.cell)},
             {"metric", unit.metric},
             {"lower_is_better", unit.lower_is_better}};
    if (unit.quality) one["quality"] = name_of(*unit.quality);
    one["levels"] = Json::object();
    for (const auto& level : unit.levels) {
      Json figures{{"n", level.n}, {cost, level.cost}, {"value", level.metric}};
      if (unit.reason.empty()) figures["on_front"] = level.on_front;
      one["levels"][level.level] = std::move(figures);
    }
    one["dominance"] = Json::array();
    for (const auto& pair : unit.pairs)
      if (pair.n > 0)
        one["dominance"].push_back({{"pair", pair.pair},
                                    {"paired", pair.paired},
                                    {"n", pair.n},
                                    {"first", pair.first},
                                    {"second", pair.second}});
    if (!unit.reason.empty()) one["reason"] = unit.reason;
    json["units"].push_back(std::move(one));
  }
  return json;
}

std::string reach_text(const Reaches& reaches, const Style& style) {
  const auto& settings = reaches.settings;
  const std::string goal = fmt::format("{} {} {:.4g}", printable(settings.metric),
                                       settings.lower_is_better ? "<=" : ">=", settings.target);
  std::string out =
      style.bold("energy to reach " + goal) +
      style.dim(fmt::format("   from the start of a run to the end of the first {} that reaches it",
                            printable(settings.span))) +
      "\n";
  if (reaches.units.empty())
    return out + "  " +
           style.warn(fmt::format("no run tells {} within a span '{}'", printable(settings.metric),
                                  printable(settings.span))) +
           "\n\n";
  Table levels({{"unit", Align::left},
                {"level", Align::left},
                {"reached", Align::right},
                {"median energy", Align::right},
                {"median time", Align::right},
                {"", Align::left}});
  Table pairs({{"unit", Align::left},
               {"pair", Align::left},
               {"first takes less", Align::right},
               {"pairs of runs", Align::right}});
  bool any_sum = false;
  for (const auto& unit : reaches.units) {
    for (const auto& level : unit.levels) {
      const bool is_sum = level.median_joules && !level.whole;
      any_sum = any_sum || is_sum;
      std::string remark = is_sum ? "epochs alone" : "";
      if (level.untold > 0)
        remark += fmt::format("{}{} without the metric", remark.empty() ? "" : "; ", level.untold);
      levels.add({unit_name(unit.cell), printable(level.level),
                  fmt::format("{} of {}", level.reached, level.reached + level.not_reached),
                  level.median_joules ? with_prefix(*level.median_joules, "J") : "–",
                  level.median_seconds ? for_people(Seconds{*level.median_seconds}) : "–",
                  remark + quality_remark(unit.quality)});
    }
    for (const auto& pair : unit.pairs)
      pairs.add({unit_name(unit.cell), printable(pair.pair[0] + " : " + pair.pair[1]),
                 whole_percent(pair.first_less), std::to_string(pair.n)});
  }
  out += levels.text("  ", style);
  out += "  " +
         style.dim(
             "medians over all runs that tell; one that does not reach it is above all "
             "others") +
         "\n";
  if (any_sum)
    out += "  " + style.dim("epochs alone: without what lies before and between the epochs") + "\n";
  if (!pairs.empty()) out += pairs.text("  ", style);
  return out + "\n";
}

Json reach_json(const Reaches& reaches) {
  const auto& settings = reaches.settings;
  Json json{{"metric", settings.metric},
            {"target", settings.target},
            {"lower_is_better", settings.lower_is_better},
            {"span", settings.span},
            {"measure", settings.measure}};
  json["units"] = Json::array();
  for (const auto& unit : reaches.units) {
    Json one{{"cell", unit_json(unit.cell)}};
    if (unit.quality) one["quality"] = name_of(*unit.quality);
    one["levels"] = Json::object();
    for (const auto& level : unit.levels) {
      Json figures{
          {"reached", level.reached}, {"not_reached", level.not_reached}, {"untold", level.untold}};
      if (level.median_joules) figures["median_joules"] = *level.median_joules;
      if (level.median_seconds) figures["median_seconds"] = *level.median_seconds;
      if (level.mean_joules) figures["mean_joules_of_reached"] = *level.mean_joules;
      if (level.mean_joules) figures["energy_from"] = level.whole ? "samples" : "epochs";
      one["levels"][level.level] = std::move(figures);
    }
    one["pairs"] = Json::array();
    for (const auto& pair : unit.pairs)
      one["pairs"].push_back({{"pair", pair.pair}, {"n", pair.n}, {"first_less", pair.first_less}});
    json["units"].push_back(std::move(one));
  }
  return json;
}

}  // namespace prengdl
