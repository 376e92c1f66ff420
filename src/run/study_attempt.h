// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/result.h"
#include "run/attempt.h"
#include "run/guardian.h"
#include "run/study_run.h"
#include "run/study_workload.h"

namespace prengdl {

/// One run of a cell with all around it that is not measured: its directories, prepare and cleanup
/// commands, the check of its outputs.
class CellRun {
 public:
  CellRun(const Study& study, const Cell& cell, const StudySettings& settings, Guardian& guardian);

  /// `run` holds id, block, place, attempt and seed; the rest is filled in. Gives the samples.
  SampleLog execute(StoredRun& run, const Meters& meters, const std::optional<Baseline>& baseline,
                    const WhileRunning& progress);

 private:
  Launch launch_of(const std::vector<std::string>& words) const;
  bool run_unmeasured(const std::vector<std::vector<std::string>>& commands, StoredRun& run,
                      const char* when);
  Outcome outcome_of(const StoredRun& run, std::uint64_t oom_kills_before) const;

  const Study& study_;
  const StudySettings& settings_;
  Guardian& guardian_;
  const Cell& cell_;
  Workload workload_;  // expanded for the run that is executed
  RunPlace place_;
  std::filesystem::path logs_;
};

}  // namespace prengdl
