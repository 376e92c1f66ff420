// SPDX-License-Identifier: Apache-2.0
//
// perf stat and nvidia-smi: a file for each run, whose name says what it is of.
#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "base/clock.h"
#include "import/file_names.h"
#include "import/kinds.h"
#include "import/nvidia_smi.h"
#include "import/perf_stat.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

/// Reads each file whose name fits, by `read`, which adds its runs; `run` has levels and number.
Imported each_file(const std::string& name, const ForeignPaths& paths, const ImportOptions& options,
                   const std::function<void(const ForeignText&, ImportedRun&&, Imported&)>& read) {
  const FileNames names(options.names);
  Imported imported;
  imported.name = name;
  imported.factors = names.factors();
  for (const auto& file : foreign_files(paths)) {
    ImportedRun run;
    run.file = file.relative;
    if (!names.read(file.relative, run))
      imported.left_out.push_back({file.relative, "its name does not fit --names"});
    else
      read(read_foreign(file.path), std::move(run), imported);
  }
  return imported;
}

}  // namespace

Imported import_perf_stat(const ForeignPaths& paths, const ImportOptions& options) {
  return each_file("perf-stat", paths, options,
                   [](const ForeignText& text, ImportedRun&& first, Imported& imported) {
                     const auto stats = parse_perf_stat(text);
                     for (const auto& stat : stats) {
                       ImportedRun run = first;
                       if (stats.size() > 1) run.number = &stat - stats.data() + 1;
                       const auto stated = add_perf_stat(run, stat, text.name);
                       fill_figures(run, stated);
                       imported.runs.push_back(std::move(run));
                     }
                   });
}

Imported import_nvidia_smi(const ForeignPaths& paths, const ImportOptions& options) {
  auto imported = each_file(
      "nvidia-smi", paths, options,
      [&](const ForeignText& text, ImportedRun&& run, Imported& into) {
        SmiLog log = parse_nvidia_smi(text);
        Run& figures = run.stored.run;
        StatedJoules stated;
        if (log.has_stamps) {
          std::int64_t begin = log.columns.front().readings.front().at_ns;
          std::int64_t end = begin;
          for (const auto& column : log.columns) {
            begin = std::min(begin, column.readings.front().at_ns);
            end = std::max(end, column.readings.back().at_ns);
          }
          if (end == begin) throw foreign_error(text.name, 1, 1, "its lines cover no time");
          figures.begin_ns = begin;
          figures.started_at = stamp_text(begin);
          figures.wall = figures.window = seconds_between(begin, end);
          add_smi_log(run, std::move(log));
        } else {
          if (!options.interval)
            throw UsageError(fmt::format("{}: its lines have no time stamps", text.name),
                             "State their interval, as in --interval 1s.");
          figures.wall = figures.window = *options.interval * static_cast<double>(log.lines);
          spread_evenly(log, figures.window);
          add_smi_log(run, std::move(log));
          stated = held_joules(run, 0, *options.interval);
        }
        fill_figures(run, stated);
        into.runs.push_back(std::move(run));
      });
  imported.is_in_order_of_time =
      std::all_of(imported.runs.begin(), imported.runs.end(),
                  [](const ImportedRun& run) { return run.stored.run.begin_ns > 0; });
  if (imported.is_in_order_of_time)
    std::stable_sort(imported.runs.begin(), imported.runs.end(),
                     [](const ImportedRun& a, const ImportedRun& b) {
                       return a.stored.run.begin_ns < b.stored.run.begin_ns;
                     });
  return imported;
}

}  // namespace prengdl
