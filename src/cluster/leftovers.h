// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace prengdl {

/// The variable by which the processes of a task know the file of their array.
constexpr const char* task_variable = "PRENGDL_TASK";

/// A process of another task on this node: its job was lost, or the node is not ours alone.
struct OtherTask {
  pid_t pid = -1;
  std::string job;
  std::filesystem::path array_file;
  std::string index;
};

/// The processes of this user below `root`/proc that belong to a task on this node and not to this
/// job. `configuration` is SLURM_CONF: a Slurm with another one has other nodes.
std::vector<OtherTask> other_tasks(const std::filesystem::path& root, const std::string& node,
                                   const std::string& job, const std::string& configuration);

/// Ends processes, first in order, then by force, and waits up to some seconds for each.
void end_processes(const std::vector<OtherTask>& tasks);

}  // namespace prengdl
