// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "print/costs.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

Table relations_table(const char* where, const Names& names) {
  Table table;
  table.columns = {text_column("measure", "measure"),
                   text_column("where", where),
                   text_column("level", names.compared),
                   number_column("n", "n"),
                   number_column("spearman", "Spearman"),
                   number_column("p", "p"),
                   number_column("pearson", "Pearson of logs"),
                   number_column("slope", "slope of logs"),
                   interval_column()};
  table.columns[3].spare = 3;
  table.columns[5].spare = 1;
  table.columns[6].spare = 2;
  return table;
}

void add_row(Table& table, const std::string& measure, std::string where, const std::string& level,
             const TimeRelation& relation) {
  const auto figure = [](const std::optional<double>& value) {
    return value ? TableCell{fmt::format("{:.3f}", *value), value, false} : TableCell{};
  };
  table.add({text_cell(measure), text_cell(std::move(where)), text_cell(level),
             count_cell(relation.n), figure(relation.spearman), p_cell(relation.spearman_p),
             figure(relation.pearson), figure(relation.slope), interval_cell(relation.slope_ci95)});
}

/// A table for each text of a column, which goes to the titles; without notes.
std::vector<Table> tables_by(const Table& all, const std::string& key) {
  std::vector<Table> tables;
  for (const auto& row : all.rows) {
    const auto& text = row[all.column(key)].text;
    if (tables.empty() || tables.back().rows.back()[all.column(key)].text != text) {
      tables.push_back(all);
      tables.back().rows.clear();
      tables.back().note.clear();
    }
    tables.back().add(row);
  }
  for (auto& table : tables) fold_column(table, key);
  return tables;
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

Table relations_within_table(const EnergyTime& energy_time, const Names& names) {
  Table table = relations_table("cell", names);
  table.id = "correlation-within";
  table.title = "Energy against time within cells, over their runs";
  table.note = "Slope of log energy on log time: 1 if power is the same for all runs.";
  for (const auto& one : energy_time.within)
    add_row(table, names.of_measure(one.measure), names.of_case(one.cell), one.level, one.relation);
  return table;
}

Table relations_across_table(const EnergyTime& energy_time, const Names& names) {
  Table table = relations_table("across", names);
  table.id = "correlation-across";
  table.title = "Energy against time across cells, over their means";
  table.note = "Longer work costs more. This does not show that time can replace energy.";
  for (const auto& one : energy_time.across) {
    const std::string fixed = names.of_case(one.fixed);
    add_row(table, names.of_measure(one.measure),
            fixed == names.of_case({}) ? one.factor : one.factor + " at " + fixed, one.level,
            one.relation);
  }
  return table;
}

std::string energy_time_text(const EnergyTime& energy_time, const Style& style) {
  Part part{"energy_time", "energy against time", {}};
  const auto add = [&](const Table& all) {
    for (Table& table : tables_by(all, "measure")) part.add(std::move(table));
    if (!all.rows.empty()) part.note(all.note);
  };
  add(relations_within_table(energy_time, {}));
  add(relations_across_table(energy_time, {}));
  for (const auto& measure : energy_time.left_out)
    part.caution(sentence(measure_title(measure) +
                          " was modelled from run time and CPU time: no correlation is computed"));
  if (part.blocks.empty())
    part.say("No cell has three runs with energy, and there are not three cells with energy.");
  return part_text(part, style);
}

Json energy_time_json(const EnergyTime& energy_time) {
  Json json;
  json["within"] = Json::array();
  for (const auto& one : energy_time.within) {
    Json row{{"cell", case_json(one.cell)}, {"level", one.level}, {"measure", one.measure}};
    add_relation(row, one.relation);
    json["within"].push_back(std::move(row));
  }
  json["across"] = Json::array();
  for (const auto& one : energy_time.across) {
    Json row{{"factor", one.factor},
             {"fixed", case_json(one.fixed)},
             {"level", one.level},
             {"measure", one.measure}};
    add_relation(row, one.relation);
    json["across"].push_back(std::move(row));
  }
  json["modelled"] = energy_time.left_out;
  return json;
}

}  // namespace prengdl
