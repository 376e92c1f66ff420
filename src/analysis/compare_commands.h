// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/finding.h"
#include "model/run.h"

namespace prengdl {

/// A figure of a whole run by the name of its measure (model/measure.h); nothing where it was not
/// measured.
std::optional<double> value_of(const Run& run, const std::string& measure);

/// Whether the figures of a run are those of the whole command: it was neither interrupted nor ran
/// out of time, and it succeeded or failures are to be measured as well.
bool is_whole(const Run& run, bool ignore_failure);

/// The runs that a command's figures are summed up from: those that are whole, in one place for
/// text, JSON, Markdown and findings. If none succeeded, those that failed by themselves.
std::vector<Run> runs_to_average(const std::vector<Run>& runs, bool ignore_failure);

/// The values of all runs that have one.
std::vector<double> values_of(const std::vector<Run>& runs, const std::string& measure);

/// Each pair of commands by `metered`, `seconds` and `cpu_seconds`. Runs of one block are pairs; a
/// run that is not whole takes its partners with it. Modelled energy gets a ratio and no more.
std::vector<Finding> compare_commands(const std::vector<std::string>& labels,
                                      const std::vector<std::vector<Run>>& runs,
                                      bool ignore_failure = false);

}  // namespace prengdl
