// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/command_study.h"
#include "meters/gpu_facts.h"
#include "meters/meter.h"
#include "model/comparison.h"
#include "model/machine.h"
#include "model/power_model.h"
#include "model/run.h"
#include "print/compare.h"
#include "tables/part.h"

namespace prengdl {

/// All that `measure` prints, in one place for its four formats.
struct MeasureReport {
  const Meters& meters;
  const std::vector<LeftOut>& left_out;
  const CommandPlan& plan;
  std::vector<Command> commands{};       // one for each cell of the plan's study
  std::vector<std::vector<Run>> runs{};  // of each command
  bool ignore_failure = false;           // runs that failed count like others
  bool interrupted = false;
  std::optional<Findings> findings{};  // as `compare` has them
  std::optional<Machine> machine{};    // facts of the machine, where the format shows them
  std::vector<GpuFacts> gpus{};
  std::optional<PowerModel> power_model{};  // behind the estimate, if that is what was read
};

std::string measure_json(const MeasureReport& report);
std::string measure_csv(const MeasureReport& report);       // one row per run
std::string measure_markdown(const MeasureReport& report);  // one row per command
std::string measure_text(const MeasureReport& report, const Style& style);

/// Only the answer; of a single command its mean time and energy in a line.
std::string measure_quiet_text(const MeasureReport& report, const Style& style);

/// The findings as `compare` shows them, under the names that people read; nothing if nothing was
/// compared.
std::optional<CompareReport> compared_commands(const MeasureReport& report);

/// What the commands are called on a terminal, in their order: labels that are command lines
/// without the directories that say nothing (print/words.h), names that the user gave as they
/// are.
std::vector<std::string> command_names(const std::vector<Command>& commands);

/// What was measured of a command over these runs, at least one: figures, CPU times, metrics and
/// spans. With a window, its figures come before those of whole runs.
void add_figures(const std::vector<Run>& runs, const std::vector<std::string>& measures,
                 const std::string& window, Part& part);

/// The names of the metrics that any of the runs emitted, and the last value of one in each run.
std::vector<std::string> metrics_of(const std::vector<Run>& runs);
std::vector<double> final_metrics(const std::vector<Run>& runs, const std::string& name);

/// The figures of the runs that have one in a window (model/window.h).
std::vector<double> values_in(const std::vector<Run>& runs, const std::string& window,
                              const std::string& measure);

/// One line about a finished run.
std::string run_line(const Run& run);

/// "package + dram (chip); inside: cores" – what `metered` is here, in words.
std::string coverage_line(const Meters& meters);

/// The measures of which any run has a figure: seconds, CPU times, metered, then the domains.
std::vector<std::string> measures_of(const std::vector<std::vector<Run>>& runs);

}  // namespace prengdl
