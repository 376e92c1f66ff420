// SPDX-License-Identifier: Apache-2.0
#include "report/energy_time_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/compare_words.h"
#include "report/costs_words.h"
#include "report/table.h"

namespace prengdl {
namespace {

using Align = Table::Align;

std::vector<Table::Column> columns_of(const char* where) {
  return {{"measure", Align::left},  {where, Align::left},       {"level", Align::left},
          {"n", Align::right},       {"Spearman", Align::right}, {"p", Align::right},
          {"Pearson", Align::right}, {"slope", Align::right},    {"95 % interval", Align::right}};
}

std::string figure(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "";
}

std::vector<std::string> row_of(const std::string& measure, std::string where,
                                const std::string& level, const TimeRelation& relation) {
  return {measure_title(printable(measure)),
          std::move(where),
          printable(level),
          std::to_string(relation.n),
          figure(relation.spearman),
          p_text(relation.spearman_p),
          figure(relation.pearson),
          figure(relation.slope),
          interval_text(relation.slope_ci95)};
}

void add_relation(Json& json, const TimeRelation& relation) {
  json["n"] = relation.n;
  if (relation.spearman) json["spearman"] = *relation.spearman;
  if (relation.spearman_p) json["spearman_p"] = *relation.spearman_p;
  if (relation.pearson) json["pearson_of_logs"] = *relation.pearson;
  if (relation.slope) json["log_slope"] = *relation.slope;
  if (relation.slope_ci95) json["log_slope_ci95"] = *relation.slope_ci95;
}

}  // namespace

std::string energy_time_text(const EnergyTime& energy_time, const Style& style) {
  std::string out =
      style.bold("energy against time") +
      style.dim("   slope of log energy on log time: 1 if power is the same for all") + "\n";
  if (!energy_time.within.empty()) {
    Table table(columns_of("cell"));
    for (const auto& one : energy_time.within)
      table.add(row_of(one.measure, unit_name(one.cell), one.level, one.relation));
    out += "  within cells, over their runs\n" + table.text("  ", style);
  }
  if (!energy_time.across.empty()) {
    Table table(columns_of("across"));
    for (const auto& one : energy_time.across)
      table.add(
          row_of(one.measure,
                 printable(one.factor) + (one.fixed.empty() ? "" : " at " + unit_name(one.fixed)),
                 one.level, one.relation));
    out +=
        "  across cells, over their means: says that longer work costs more, not that time "
        "stands for energy\n" +
        table.text("  ", style);
  }
  for (const auto& measure : energy_time.left_out)
    out += "  " +
           style.warn(measure_title(printable(measure)) +
                      " was modelled from run time and CPU time: no correlation is computed") +
           "\n";
  if (energy_time.within.empty() && energy_time.across.empty() && energy_time.left_out.empty())
    out += "  neither three runs of a cell nor three cells have energy\n";
  return out + "\n";
}

Json energy_time_json(const EnergyTime& energy_time) {
  Json json;
  json["within"] = Json::array();
  for (const auto& one : energy_time.within) {
    Json row{{"cell", unit_json(one.cell)}, {"level", one.level}, {"measure", one.measure}};
    add_relation(row, one.relation);
    json["within"].push_back(std::move(row));
  }
  json["across"] = Json::array();
  for (const auto& one : energy_time.across) {
    Json row{{"factor", one.factor},
             {"fixed", unit_json(one.fixed)},
             {"level", one.level},
             {"measure", one.measure}};
    add_relation(row, one.relation);
    json["across"].push_back(std::move(row));
  }
  json["modelled"] = energy_time.left_out;
  return json;
}

}  // namespace prengdl
