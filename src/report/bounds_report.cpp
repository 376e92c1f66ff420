// SPDX-License-Identifier: Apache-2.0
#include "report/bounds_report.h"

#include <fmt/core.h>

#include <set>

#include "analysis/standings.h"
#include "base/text.h"
#include "report/compare_words.h"
#include "report/table.h"
#include "report/terminal.h"

namespace prengdl {
namespace {

using Align = Table::Align;

std::string range_text(const Coefficient& range, const char* unit) {
  return fmt::format("{:.4g} … {:.4g} {}", range.low, range.high, unit);
}

/// "needs a meter: decided by the power per busy CPU, even at 1.3 W".
std::string verdict_line(const BoundedComparison& one) {
  const EnergyBounds& bounds = one.bounds;
  if (bounds.less) return one.pair[*bounds.less] + " costs less under every admissible model";
  std::string text(name_of(bounds.verdict));
  if (!bounds.decider) return text;
  text += fmt::format(": {} decides", name_of(*bounds.decider));
  if (bounds.break_even) text += fmt::format(", even at {:.3g} W", *bounds.break_even);
  return text;
}

Json range_json(const Coefficient& range) {
  return {{"value", range.value}, {"low", range.low}, {"high", range.high}};
}

Json comparison_json(const BoundedComparison& one) {
  const EnergyBounds& bounds = one.bounds;
  Json json;
  json["cell"] = Json::object();
  for (const auto& [factor, level] : one.cell) json["cell"][factor] = level;
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
  for (const auto& one : bounds.comparisons) json["comparisons"].push_back(comparison_json(one));
  json["notes"] = bounds.notes;
  return json;
}

std::string bounds_text(const ModelBounds& bounds, const std::vector<std::string>& factors,
                        const Style& style) {
  std::string out =
      style.bold("energy without a meter") +
      style.dim("   the ratios that are possible, first / second, whatever the machine draws:") +
      "\n";
  for (const auto& [fingerprint, models] : bounds.machines)
    out += style.dim(fmt::format(
               "  {}{}: standing {}, per busy CPU {}, per GB held {}", printable(models.row),
               bounds.machines.size() > 1 ? " (" + fingerprint + ")" : "",
               range_text(models.standing, "W"), range_text(models.per_busy_cpu, "W"),
               range_text(models.per_gigabyte, "W"))) +
           "\n";
  std::vector<Table::Column> columns;
  columns.reserve(factors.size() + 8);
  for (const auto& factor : factors) columns.push_back({printable(factor), Align::left});
  columns.push_back({"pair", Align::left});
  if (bounds.machines.size() > 1) columns.push_back({"machine", Align::left});
  for (const char* title : {"time", "CPU time", "memory", "energy", "with 95 %"})
    columns.push_back({title, Align::right});
  columns.push_back({"", Align::left});
  Table table(std::move(columns));
  const auto part = [](const std::optional<double>& ratio) {
    return ratio ? fmt::format("{:#.3g}", *ratio) : "?";
  };
  // Many levels have too many pairs for a screen: those of which something holds are shown.
  std::set<std::string> levels;
  for (const auto& one : bounds.comparisons) levels.insert(one.pair.begin(), one.pair.end());
  std::size_t left_out = 0;
  for (const auto& one : bounds.comparisons) {
    if (levels.size() >= many_levels && !one.bounds.less) {
      ++left_out;
      continue;
    }
    std::vector<std::string> cells;
    for (const auto& factor : factors) {
      const auto level = one.cell.find(factor);
      cells.push_back(level == one.cell.end() ? "" : printable(level->second));
    }
    cells.push_back(printable(one.pair[0] + " : " + one.pair[1]));
    if (bounds.machines.size() > 1) cells.push_back(one.machine);
    cells.push_back(part(one.bounds.time_ratio));
    cells.push_back(part(one.bounds.cpu_ratio));
    cells.push_back(part(one.bounds.memory_ratio));
    cells.push_back(interval_text(one.bounds.ratio));
    cells.push_back(interval_text(one.bounds.ci95));
    cells.push_back(printable(verdict_line(one)));
    table.add(std::move(cells));
  }
  if (!table.empty()) out += table.text("  ", style);
  if (left_out > 0)
    out += style.dim(fmt::format("  {} of {} comparisons need a meter or more runs", left_out,
                                 bounds.comparisons.size())) +
           "\n";
  for (const auto& note : bounds.notes) out += "  " + style.warn(printable(note)) + "\n";
  return out + "\n";
}

}  // namespace

ComparePart bounds_part(const ModelBounds& bounds, const std::vector<std::string>& factors,
                        const Style& style) {
  return {"without_a_meter", bounds_json(bounds), bounds_text(bounds, factors, style)};
}

}  // namespace prengdl
