// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaign/due.h"

namespace prengdl {

/// One job of an array: "0003-17" is the job with index 17 of the third array.
struct TaskId {
  std::size_t array = 0;
  std::size_t index = 0;
  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};
std::string text_of(const TaskId& task);
std::optional<TaskId> task_of(std::string_view text);

/// What a job is to make of a block: these places, with what was tried at them before.
struct TaskBlock {
  std::size_t block = 0;
  std::map<std::size_t, std::vector<Tried>> places;
};

/// What one job is to make.
struct ClusterTask {
  std::vector<TaskBlock> blocks;
  bool makes_profiles = false;  // of the cells of its places, which have all been made
};

/// Jobs that are submitted together. It is written before it is submitted and never changed.
struct JobArray {
  std::size_t number = 0;  // from 1
  std::string name;        // of its jobs, found nowhere else: "prengdl-3f9a1c2e-3"
  std::string at;          // when it was written
  std::string study_directory;
  std::optional<Seconds> time;  // limit of a job
  std::vector<ClusterTask> tasks;
};

std::string array_json(const JobArray& array);
Result<JobArray> array_of_json(const std::string& text);

}  // namespace prengdl
