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

  /// The next execution is made under cProfile, which writes its dump there. False if the command
  /// of the cell cannot be profiled.
  bool profile_to(const std::filesystem::path& file);

 private:
  Launch launch_of(const std::vector<std::string>& words);
  void end_container() const;
  bool run_unmeasured(const std::vector<std::vector<std::string>>& commands, StoredRun& run,
                      const char* when);
  Outcome outcome_of(const StoredRun& run, std::uint64_t oom_kills_before) const;

  const Study& study_;
  const StudySettings& settings_;
  Guardian& guardian_;
  const Cell& cell_;
  Workload workload_;                      // expanded for the run that is executed
  const EnvironmentSite* site_ = nullptr;  // null: the caller's own surroundings
  ContainerView view_;                     // of the command that was made last
  std::size_t containers_ = 0;
  RunPlace place_;
  std::filesystem::path logs_;
  std::optional<std::filesystem::path> profile_;
};

}  // namespace prengdl
