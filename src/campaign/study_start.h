// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/asked_cells.h"
#include "campaign/campaign.h"
#include "campaign/requirements.h"
#include "campaign/study_environments.h"
#include "meters/meter.h"
#include "model/look.h"
#include "model/result.h"
#include "run/cell_run.h"
#include "study/design.h"

namespace prengdl {

/// A start of a study whose runs go into a result: all that is known before the first of them.
struct StudyStart {
  const Study& study;
  const Design& design;
  const AskedCells& asked;
  const std::vector<RefusedCell>& refused;
  const StudyEnvironments& environments;
  const MachineRecord& machine;
  std::string text{};        // of the study file
  std::string registered{};  // of its analysis: registered_text()
  std::string call{};        // the words of the command, for the result's log
  DueSettings due{};
  bool makes_profiles = false;
  CellRunSettings cells{};  // with the result directory
  TellProgress progress{};
  std::function<void(const Error&)> trouble{};  // with a record of the result; may be null
};

struct StudyOutcome {
  StudyEnd end;
  std::vector<PlannedRun> planned;  // runs that were asked for
  std::vector<StoredRun> stored;    // all of the result
};

/// What the result's log says of a start. `before` is the plan of the start before it.
void note_start(const StudyStart& start, bool is_first, const CurrentPlan& before,
                RunKeeper& keeper);

/// Opens the result or makes it, has the runs made that are due, and gives how that ended.
StudyOutcome start_study(const StudyStart& start, const Meters& meters, Clock& clock);

}  // namespace prengdl
