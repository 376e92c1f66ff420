// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/due.h"
#include "campaign/executor.h"
#include "campaign/progress.h"
#include "campaign/run_keeper.h"
#include "study/design.h"

namespace prengdl {

/// The runs of a study, in the order in which they are planned.
struct CampaignPlan {
  std::vector<PlannedRun> runs;
  std::vector<Cell> cells;                      // as Design gives them
  std::vector<std::vector<std::size_t>> cases;  // of cells
};

/// What a start of a study is asked for, and what it finds.
struct CampaignSettings {
  DueSettings due;
  Stored before;                  // by earlier starts
  bool stops_at_failure = false;  // the first run that fails ends everything, also a warm-up
  TellProgress progress;          // may be null
  /// Cells that need no more runs, by a decision made elsewhere; asked before each list. May be
  /// null.
  std::function<bool(const Cell&)> is_closed;
  /// Where the cProfile dump of a cell goes. If given, each cell that has none is run once more
  /// under the profiler after the measured runs; such runs are kept, flagged, and never counted.
  std::function<std::filesystem::path(const Cell&)> profile;
};

/// How a start ended.
struct StudyEnd {
  enum class Why { complete, stopped_early, interrupted, budget, failed };
  Why why = Why::complete;
  std::string detail;
  std::size_t done = 0;
  std::size_t failures = 0;
  std::vector<std::string> given_up;      // names of cells that failed again and again
  std::vector<std::string> unprofiled;    // names of cells that could not be profiled, and why
  std::vector<std::string> not_restored;  // settings of the machine that stay changed, and why
  std::optional<StoredRun> cut_short;     // the run that an interrupt has cost
};

/// The kind of StudyEvent that an end is noted as: "end", "stop-early", "interrupted", ...
StudyEventKind event_kind(StudyEnd::Why why);

/// Has what is left of the plan made, in its order. Throws when the study itself cannot go on (a
/// full disk, no permission for the settings); a workload that fails is an outcome, not an error.
StudyEnd run_campaign(const Study& study, const CampaignPlan& plan,
                      const CampaignSettings& settings, Executor& executor, Clock& clock,
                      RunKeeper& keeper);

}  // namespace prengdl
