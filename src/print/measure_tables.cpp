// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"
#include "model/counted_runs.h"
#include "model/measure.h"
#include "model/window.h"
#include "print/answer.h"
#include "print/compare.h"
#include "print/measure.h"
#include "stats/summary.h"
#include "tables/cells.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

std::string worst_quality(const std::vector<Run>& runs) {
  std::optional<Quality> worst;
  for (const auto& run : runs)
    if (run.energy.metered)
      worst = std::max(worst.value_or(Quality::wall), run.energy.metered->quality);
  return worst ? std::string(name_of(*worst)) : "";
}

TableCell number_if_any(const std::optional<int>& number) {
  return number ? TableCell{std::to_string(*number), *number, false} : TableCell{};
}

/// A row per run, with numbers in full.
Table runs_table(const MeasureReport& report) {
  const auto measures = measures_of(report.runs);
  Table table;
  for (const char* key : {"command", "block", "order", "exit_code", "signal", "seconds",
                          "user_seconds", "system_seconds", "max_rss_bytes"})
    table.columns.push_back(number_column(key, key));
  for (const auto& measure : measures)
    if (is_energy_measure(measure))
      table.columns.push_back(number_column("joules_" + measure, measure));
  for (const char* key : {"quality", "flags", "cpu_seconds"})
    table.columns.push_back(number_column(key, key));
  for (std::size_t i = 0; i < report.commands.size(); ++i)
    for (const auto& run : report.runs[i]) {
      std::vector<TableCell> row{text_cell(report.commands[i].label),
                                 count_cell(run.block),
                                 count_cell(run.order),
                                 number_if_any(run.exit_code),
                                 number_if_any(run.signal),
                                 number_cell(run.wall.count()),
                                 number_cell(run.user.count()),
                                 number_cell(run.system.count()),
                                 count_cell(run.max_rss_bytes)};
      for (const auto& measure : measures)
        if (is_energy_measure(measure)) row.push_back(number_cell(value_of(run, measure)));
      row.push_back(text_cell(worst_quality({run})));
      row.push_back(text_cell(names_of(run.flags)));
      row.push_back(number_cell((run.user + run.system).count()));
      table.add(std::move(row));
    }
  return table;
}

/// CPU seconds are both of the others.
bool is_in_short_table(const std::string& measure) {
  return measure != "user_seconds" && measure != "system_seconds";
}

TableCell mean_and_sd_cell(const std::vector<double>& values) {
  if (values.empty()) return {};
  const Summary summary = summarise(values);
  return {summary.sd ? fmt::format("{:.4g} ± {:.2g}", summary.mean, *summary.sd)
                     : fmt::format("{:.4g}", summary.mean),
          summary.mean, false};
}

/// A row per command.
Table commands_table(const MeasureReport& report) {
  const auto measures = measures_of(report.runs);
  Table table;
  table.columns = {text_column("command", "command"), number_column("runs", "runs")};
  for (const auto& measure : measures)
    if (is_in_short_table(measure))
      table.columns.push_back(number_column(measure, measure == measures::seconds ? "seconds"
                                                     : measure == measures::cpu_seconds
                                                         ? "CPU seconds"
                                                         : measure + " J"));
  std::vector<std::string> metrics;
  for (const auto& runs : report.runs)
    for (const auto& name : metrics_of(runs))
      if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
  for (const auto& name : metrics) table.columns.push_back(number_column("metric:" + name, name));
  table.columns.push_back(text_column("quality", "quality"));
  for (std::size_t i = 0; i < report.commands.size(); ++i) {
    const auto runs = runs_to_average(report.runs[i], report.ignore_failure);
    std::vector<TableCell> row{text_cell(report.commands[i].label), count_cell(runs.size())};
    for (const auto& measure : measures)
      if (is_in_short_table(measure)) row.push_back(mean_and_sd_cell(values_of(runs, measure)));
    for (const auto& name : metrics) row.push_back(mean_and_sd_cell(final_metrics(runs, name)));
    row.push_back(text_cell(worst_quality(runs)));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

std::string measure_csv(const MeasureReport& report) { return table_csv(runs_table(report)); }

std::string measure_markdown(const MeasureReport& report) {
  std::string out;
  const auto compared = compared_commands(report);
  if (compared) out += answer_markdown(answer_of(compared->findings, {}, compared->domains));
  out += table_markdown(commands_table(report));
  for (std::size_t i = 0; i < report.commands.size(); ++i) {
    const auto& runs = report.runs[i];
    const auto averaged = runs_to_average(runs, report.ignore_failure).size();
    if (averaged < runs.size())
      out += fmt::format("\n{}: {} left out of the table, because it failed or was cut short.\n",
                         markdown_text(report.commands[i].label),
                         counted(runs.size() - averaged, "run"));
  }
  out += "\n" + coverage_line(report.meters) + ".\n";
  if (compared) out += "\n" + findings_markdown(*compared);
  return out;
}

}  // namespace prengdl
