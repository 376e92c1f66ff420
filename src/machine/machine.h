// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/chores.h"
#include "meters/sources.h"
#include "model/machine.h"

namespace prengdl {

/// The names of this process's environment.
std::vector<std::string> variable_names();

/// The facts that are recorded with each run, from /sys, /proc and /etc below `root`. Values of the
/// environment come from `environment`; of `names` those with a recorded prefix are asked for too.
/// Well under a millisecond on a small machine; nothing that is missing is an error.
Machine read_machine(const std::filesystem::path& root, const Variables& variables,
                     const std::vector<std::string>& names = variable_names());

/// The same as small jobs that fill in `machine`, which must outlive them.
void add_machine_chores(const std::filesystem::path& root, const Variables& variables,
                        const std::vector<std::string>& names, Machine& machine, Chores& chores);

/// The parts that they put together. `processor` is the first processor's part of /proc/cpuinfo,
/// which the kernel takes its time to write.
CpuFacts read_cpu(const std::filesystem::path& root, std::string_view processor);
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);
void add_frequency_chores(const std::filesystem::path& root, FrequencyFacts& frequency,
                          Chores& chores);
void add_power_limit_chores(const std::filesystem::path& root, std::vector<PowerLimit>& limits,
                            Chores& chores);

/// What may disturb a run, now: a few files, so that it can be taken around each run.
Conditions read_conditions(const std::filesystem::path& root);

/// The text of a file up to the first occurrence of `end`, for files that the kernel makes longer
/// with each CPU; nothing if the file cannot be read.
std::optional<std::string> read_head(const std::filesystem::path& path, std::string_view end);

}  // namespace prengdl
