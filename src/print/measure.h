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
#include "tables/part.h"

namespace prengdl {

/// All that `measure` has to tell, in one place for its four formats.
struct MeasureReport {
  const Meters& meters;
  const std::vector<LeftOut>& left_out;
  const CommandPlan& plan;
  std::vector<std::vector<Run>> runs{};  // by command, in their order
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

/// What the commands are called on a terminal, in their order: labels that are command lines
/// without the directories that say nothing (print/words.h), names that the user gave as they
/// are.
std::vector<std::string> command_names(const std::vector<Command>& commands);

/// What was measured of a command over these runs, at least one: figures, CPU times and spans.
void add_figures(const std::vector<Run>& runs, const std::vector<std::string>& measures,
                 Part& part);

/// One line about a finished run.
std::string run_line(const Run& run);

/// "package + dram (chip); inside: cores" – what `metered` is here, in words.
std::string coverage_line(const Meters& meters);

/// The measures of which any run has a figure: seconds, CPU times, metered, then the domains.
std::vector<std::string> measures_of(const std::vector<std::vector<Run>>& runs);

}  // namespace prengdl
