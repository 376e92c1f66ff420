// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/command_study.h"
#include "campaign/progress.h"
#include "meters/meter.h"
#include "model/comparison.h"
#include "model/result.h"
#include "run/cell_run.h"

namespace prengdl {

/// How commands are measured. With a result directory in `cells`, which must not hold a result yet,
/// everything is stored there.
struct MeasureSettings {
  CellRunSettings cells;
  std::function<MachineRecord()> machine;  // of a result; not asked without one
  std::string call;                        // the words of the command, for the result's log
  bool ignore_failure = false;             // runs that fail are measured like others
  TellProgress progress;
};

struct MeasuredCommands {
  Study study;
  std::vector<StoredRun> runs;  // in their order; of the warm-ups only one that ended it all
  bool interrupted = false;
  bool failed = false;  // stopped at a command that failed
};

/// Runs the commands as a study. Stops after an interrupt or a failure and gives what
/// was measured. Throws an Error if a command cannot be started.
MeasuredCommands measure_commands(const CommandPlan& plan, const MeasureSettings& settings,
                                  const Meters& meters, Clock& clock);

/// The runs of each cell, in the order of commands_of_cells().
std::vector<std::vector<Run>> runs_by_command(MeasuredCommands measured);

/// What `compare` finds in them; nothing if fewer than two commands have a good run.
std::optional<Findings> findings_of(const MeasuredCommands& measured);

}  // namespace prengdl
