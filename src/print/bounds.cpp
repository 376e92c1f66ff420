// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <set>

#include "print/costs.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

std::string range_text(const Coefficient& range, const char* unit) {
  return fmt::format("{:.4g} … {:.4g} {}", range.low, range.high, unit);
}

/// "needs a meter: decided by the power per busy CPU, even at 1.3 W".
std::string verdict_line(const BoundedComparison& one) {
  const EnergyBounds& bounds = one.bounds;
  if (bounds.less) return one.pair[*bounds.less] + " costs less under the assumed models";
  std::string text(name_of(bounds.verdict));
  if (!bounds.decider) return text;
  text += fmt::format(": {} decides", name_of(*bounds.decider));
  if (bounds.break_even) text += fmt::format(", even at {:.3g} W", *bounds.break_even);
  return text;
}

Json range_json(const Coefficient& range) {
  return {{"value", range.value}, {"low", range.low}, {"high", range.high}};
}

Json bounded_json(const BoundedComparison& one) {
  const EnergyBounds& bounds = one.bounds;
  Json json;
  json["cell"] = case_json(one.cell);
  json["pair"] = one.pair;
  json["machine"] = one.machine;
  json["n"] = one.n;
  if (one.per) json["per"] = *one.per;
  json["ratio"] = bounds.ratio;
  json["middle"] = bounds.middle;
  if (bounds.ci95) json["ci95"] = *bounds.ci95;
  json["time_ratio"] = bounds.time_ratio;
  if (bounds.cpu_ratio) json["cpu_time_ratio"] = *bounds.cpu_ratio;
  if (bounds.memory_ratio) json["memory_ratio"] = *bounds.memory_ratio;
  json["knows_cpu_time"] = one.knows_cpu_time;
  json["knows_memory"] = one.knows_memory;
  json["verdict"] = name_of(bounds.verdict);
  if (bounds.less) json["less"] = one.pair[*bounds.less];
  if (bounds.decider) json["decided_by"] = name_of(*bounds.decider);
  if (bounds.break_even) json["break_even"] = *bounds.break_even;
  return json;
}

Json bounds_json(const ModelBounds& bounds) {
  Json json;
  json["assumption"] = model_assumption();
  json["machines"] = Json::array();
  for (const auto& [fingerprint, models] : bounds.machines)
    json["machines"].push_back({{"fingerprint", fingerprint},
                                {"row", models.row},
                                {"source", models.source},
                                {"cpus", models.cpus},
                                {"standing_watts", range_json(models.standing)},
                                {"watts_per_busy_cpu", range_json(models.per_busy_cpu)},
                                {"watts_per_gigabyte", range_json(models.per_gigabyte)},
                                {"most_uneven_mix", models.mix}});
  json["comparisons"] = Json::array();
  for (const auto& one : bounds.comparisons) json["comparisons"].push_back(bounded_json(one));
  json["notes"] = bounds.notes;
  return json;
}

TableCell ratio_or_unknown(const std::optional<double>& ratio) {
  return ratio ? TableCell{fmt::format("{:#.3g}", *ratio), ratio, false} : text_cell("?");
}

Table bounds_table(const ModelBounds& bounds, const std::vector<std::string>& factors) {
  Table table;
  for (const auto& factor : factors) table.columns.push_back(text_column(factor, factor));
  table.columns.push_back(text_column("pair", "pair"));
  table.columns.push_back(text_column("machine", "machine"));
  for (const char* title : {"time", "CPU time", "memory", "energy", "with 95 %"})
    table.columns.push_back(number_column(title, title));
  table.columns.push_back(text_column("verdict", ""));
  // With many levels there are too many pairs for a screen: those that are decided are shown.
  std::set<std::string> levels;
  for (const auto& one : bounds.comparisons) levels.insert(one.pair.begin(), one.pair.end());
  for (const auto& one : bounds.comparisons) {
    if (levels.size() >= many_levels && !one.bounds.less) continue;
    std::vector<TableCell> cells;
    for (const auto& factor : factors) {
      const auto level = one.cell.find(factor);
      cells.push_back(text_cell(level == one.cell.end() ? "" : level->second));
    }
    for (auto& cell :
         {text_cell(pair_name(one.pair)), text_cell(bounds.machines.size() > 1 ? one.machine : ""),
          ratio_or_unknown(one.bounds.time_ratio), ratio_or_unknown(one.bounds.cpu_ratio),
          ratio_or_unknown(one.bounds.memory_ratio), interval_cell(one.bounds.ratio),
          interval_cell(one.bounds.ci95), text_cell(verdict_line(one))})
      cells.push_back(cell);
    table.add(std::move(cells));
  }
  return table;
}

Part without_a_meter(const ModelBounds& bounds, const std::vector<std::string>& factors) {
  Part part{"without_a_meter", "energy without a meter", {}};
  part.note("The energy ratios, first / second, that are possible under the assumed models.");
  part.note(model_assumption());
  for (const auto& [fingerprint, models] : bounds.machines)
    part.note(fmt::format("{}{}: standing {}, per busy CPU {}, per GB held {}", models.row,
                          bounds.machines.size() > 1 ? " (" + fingerprint + ")" : "",
                          range_text(models.standing, "W"), range_text(models.per_busy_cpu, "W"),
                          range_text(models.per_gigabyte, "W")));
  Table table = bounds_table(bounds, factors);
  const std::size_t left_out = bounds.comparisons.size() - table.rows.size();
  part.add(std::move(table));
  if (left_out > 0)
    part.note(fmt::format("{} of {} comparisons need a meter or more runs.", left_out,
                          bounds.comparisons.size()));
  for (const auto& note : bounds.notes) part.caution(sentence(note));
  return part;
}

}  // namespace

ComparePart bounds_part(const ModelBounds& bounds, const std::vector<std::string>& factors,
                        const Style& style) {
  return {"without_a_meter", bounds_json(bounds),
          part_text(without_a_meter(bounds, factors), style)};
}

}  // namespace prengdl
