// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/amounts.h"
#include "model/counted_runs.h"
#include "model/measure.h"
#include "model/window.h"
#include "print/compare.h"
#include "print/measure.h"
#include "stats/summary.h"
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

}  // namespace

std::string measure_csv(const MeasureReport& report) {
  const auto measures = measures_of(report.runs);
  std::string out =
      "command,block,order,exit_code,signal,seconds,user_seconds,system_seconds,max_rss_bytes";
  for (const auto& measure : measures)
    if (is_energy_measure(measure)) out += ",joules_" + csv_cell(measure);
  out += ",quality,flags,cpu_seconds\n";
  for (std::size_t i = 0; i < report.plan.commands.size(); ++i)
    for (const auto& run : report.runs[i]) {
      out += fmt::format("{},{},{},{},{},{},{},{},{}", csv_cell(report.plan.commands[i].label),
                         run.block, run.order, run.exit_code ? std::to_string(*run.exit_code) : "",
                         run.signal ? std::to_string(*run.signal) : "", run.wall.count(),
                         run.user.count(), run.system.count(), run.max_rss_bytes);
      for (const auto& measure : measures) {
        if (!is_energy_measure(measure)) continue;
        const auto value = value_of(run, measure);
        out += value ? fmt::format(",{}", *value) : ",";
      }
      const std::string flags = names_of(run.flags);
      out +=
          fmt::format(",{},{},{}\n", worst_quality({run}), flags, (run.user + run.system).count());
    }
  return out;
}

std::string measure_markdown(const MeasureReport& report) {
  const auto measures = measures_of(report.runs);
  std::string out = "| command | runs |";
  std::string rule = "|---|---:|";
  for (const auto& measure : measures) {
    if (measure == "user_seconds" || measure == "system_seconds") continue;  // cpu_seconds is both
    out += measure == measures::seconds       ? " seconds |"
           : measure == measures::cpu_seconds ? " CPU seconds |"
                                              : fmt::format(" {} J |", markdown_text(measure));
    rule += "---:|";
  }
  out += " quality |\n" + rule + "---|\n";
  std::string left_out;
  for (std::size_t i = 0; i < report.plan.commands.size(); ++i) {
    const auto runs = runs_to_average(report.runs[i], report.ignore_failure);
    if (const auto others = report.runs[i].size() - runs.size(); others > 0)
      left_out += fmt::format("\n{}: {} not in the table, because it failed or was cut short.\n",
                              markdown_text(report.plan.commands[i].label), counted(others, "run"));
    out += fmt::format("| {} | {} |", markdown_text(report.plan.commands[i].label), runs.size());
    for (const auto& measure : measures) {
      if (measure == "user_seconds" || measure == "system_seconds") continue;
      const auto values = values_of(runs, measure);
      if (values.empty()) {
        out += "  |";
        continue;
      }
      const Summary summary = summarise(values);
      out += summary.sd ? fmt::format(" {:.4g} ± {:.2g} |", summary.mean, *summary.sd)
                        : fmt::format(" {:.4g} |", summary.mean);
    }
    out += fmt::format(" {} |\n", worst_quality(runs));
  }
  out += left_out + "\n" + coverage_line(report.meters) + ".\n";
  if (report.findings) out += "\n" + compare_markdown({"measure", *report.findings, {}, {}});
  return out;
}

}  // namespace prengdl
