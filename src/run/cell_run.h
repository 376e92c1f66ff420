// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/chores.h"
#include "base/files.h"
#include "environments/site.h"
#include "model/result.h"
#include "run/attempt.h"
#include "run/guardian.h"
#include "study/workload.h"

namespace prengdl {

/// What the runs of all cells share.
struct CellRunSettings {
  std::filesystem::path root = "/";
  std::filesystem::path result;   // empty: nothing is kept, and no directory is made
  std::filesystem::path scratch;  // for the runs' own directories; empty: in the result
  bool as_root = false;           // the workloads run as root, by --as-root
  int signals = -1;
  /// What a cell asks to run in, which is there: the caller has checked. Not called for cells
  /// that ask for nothing.
  std::function<const EnvironmentSite&(const EnvironmentChoice&)> environment;
  std::filesystem::path data;                            // directory of the data sets
  std::function<std::vector<unsigned>()> gpu_processes;  // see AttemptSettings
  Chores* chores = nullptr;                              // see AttemptSettings
  std::vector<pid_t> spare;            // children of ours that are not the workload's
  std::optional<OutputChoice> output;  // of the workloads; nothing: into the result's logs
  bool shares_input = false;           // a single run reads what we read, and takes our terminal
  bool must_start = false;       // a command that cannot be started is an Error, not an outcome
  bool may_exit_anyhow = false;  // a run is good whatever its exit code is
};

/// The directory that holds the directories of runs, which go with them. It need not exist; what
/// it lies in must.
std::filesystem::path scratch_of(const CellRunSettings& settings);

/// One run of a cell with all around it that is not measured: its directories, prepare and cleanup
/// commands, the check of its outputs.
class CellRun {
 public:
  /// Without a guardian the workload may outlive us if we are killed.
  CellRun(const Study& study, const Cell& cell, const CellRunSettings& settings,
          Guardian* guardian);

  /// `run` holds id, block, place, attempt and seed; the rest is filled in. Gives the samples.
  SampleLog execute(StoredRun& run, const Meters& meters, const std::optional<Baseline>& baseline,
                    const WhileRunning& progress);

  /// The next execution is made under cProfile, which writes its dump there. False if the command
  /// of the cell cannot be profiled.
  bool profile_to(const std::filesystem::path& file);

 private:
  void expand_workload(const StoredRun& run);
  Launch launch_of(const std::vector<std::string>& words);
  AttemptSettings attempt_settings(const StoredRun& run);
  FileDescriptor direct_input(Launch& launch, StoredRun& run) const;
  void attempt_once(const AttemptSettings& settings, const Meters& meters,
                    const std::optional<Baseline>& baseline, const WhileRunning& progress,
                    StoredRun& run);
  void end_container() const;
  bool run_unmeasured(const std::vector<std::vector<std::string>>& commands, StoredRun& run,
                      const char* when);
  void check_outputs(const std::filesystem::path& directory, StoredRun& run) const;
  Outcome outcome_of(const StoredRun& run, std::uint64_t oom_kills_before) const;
  bool has_result() const { return !settings_.result.empty(); }

  const Study& study_;
  const CellRunSettings& settings_;
  Guardian* guardian_;
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
