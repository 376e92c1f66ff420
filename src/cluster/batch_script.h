// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "model/study.h"

namespace prengdl {

/// What the script of a job array is made of.
struct BatchScript {
  std::string name;      // of the jobs
  std::size_t jobs = 1;  // in the array
  std::filesystem::path logs;
  std::size_t array = 1;             // its number
  std::vector<std::string> command;  // that each job runs, without the file of its array
  std::filesystem::path task_file;   // that file
  std::vector<std::string> excluded_nodes;
  std::vector<std::filesystem::path> mounts;  // directories that a container must see
};

/// So long before its time limit, or when it is preempted, a job gets SIGUSR1.
constexpr int warning_seconds = 60;

/// The script for sbatch: an array of jobs with one whole node each, which the scheduler never
/// starts again by itself.
std::string script_of(const BatchScript& script, const SlurmSettings& settings);

/// The script of one job of the same settings that writes the name of its node and what the command
/// prints to a file, which is there in whole or not at all.
std::string probe_script(const std::vector<std::string>& command,
                         const std::filesystem::path& answer, const SlurmSettings& settings);

/// A time as sbatch takes it, rounded up to seconds: "1-02:03:04".
std::string slurm_time(Seconds time);

}  // namespace prengdl
