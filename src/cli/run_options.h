// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/asked_cells.h"
#include "campaign/due.h"
#include "campaign/requirements.h"
#include "campaign/study_start.h"
#include "cli/arguments.h"
#include "cli/environment_options.h"
#include "cli/meter_options.h"
#include "model/study.h"

namespace prengdl {

/// What `run` is called with.
struct RunOptions {
  std::string study, output, preset, on, task;
  std::vector<std::string> only, slurm;
  std::size_t runs = 0, blocks = 0;
  bool dry_run = false, anyway = false, as_root = false, profile = false, retry_failed = false;
  bool quiet = false, detach = false, cancel = false;
  EnvironmentOptions environments;
  MeterOptions meters;

  void declare(Arguments& arguments);
};

/// The study of the options. One whose runs were imported is refused.
Study study_to_run(const RunOptions& options);

/// Refuses a design from which nothing can be learnt, unless somebody says that it is meant.
void refuse_weak_design(const Study& study, const RunOptions& options);

DueSettings due_settings(const RunOptions& options);

/// Where the result goes, as an absolute path.
std::filesystem::path result_of(const Study& study, const RunOptions& options);

/// The cells that this machine cannot run; the user reads why.
std::vector<RefusedCell> refuse_cells(const Study& study, const Machine& machine,
                                      const MeterSearch& search,
                                      const std::filesystem::path& result, AskedCells& asked);

/// Prints how a start ended and what to do next; gives the exit code.
int tell_ending(const StudyOutcome& outcome, const Study& study, const std::vector<Cell>& cells,
                const std::vector<std::string>& words, const std::filesystem::path& result);

/// `run --on slurm`: submits the study's jobs and stores what they make.
int run_on_slurm(const RunOptions& options, const std::vector<std::string>& words);

/// `run --task FILE`: what a job does on its node.
int run_task(const RunOptions& options);

}  // namespace prengdl
