// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "cluster/job_array.h"
#include "model/result.h"

namespace prengdl {

/// What a node says when it begins a task.
struct NodeReport {
  std::string node;  // "n17"
  std::string job;   // the scheduler's id, "4711"
  std::string at;    // by the node's clock
  MachineRecord machine;
};

/// What a node says when it has ended a task. A task that was killed says nothing.
struct TaskEnd {
  enum class Why { done, left_off, interrupted, failed };
  Why why = Why::done;
  std::string detail;                                 // of `left_off` and `failed`, for people
  std::vector<std::pair<Cell, std::string>> refused;  // cells that the node cannot run, and why
  std::vector<StudyEvent> notes;                      // that belong into the result
};

/// What the controller wants the nodes to know.
struct ClusterControl {
  std::set<TaskId> closed;  // tasks that are over, or whose blocks were given to others
  std::set<Cell> cells;     // that need no more runs
  bool stops = false;       // all tasks leave off
};

/// RESULT/cluster: where the controller and the nodes meet. Every file is written aside, synced and
/// renamed, so that a reader sees all of it or nothing. Nodes write below tasks/ only, the
/// controller everywhere else; nodes never touch the database.
///
///   0001.json     a JobArray
///   0001.sh       the script that was submitted for it
///   0001.job      the scheduler's id, once it has taken the array
///   control.json  ClusterControl
///   cancelled     `run --cancel` was called
///   logs/         what the jobs print
///   tasks/0001-7/ of one task: node.json, RUN.record, aa.json, end.json
class ClusterDirectory {
 public:
  explicit ClusterDirectory(const std::filesystem::path& result);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path logs() const { return path_ / "logs"; }
  std::filesystem::path task(const TaskId& task) const { return path_ / "tasks" / text_of(task); }
  std::filesystem::path array_file(std::size_t number) const;
  std::filesystem::path script_file(std::size_t number) const;

  /// The last line that the job of a task printed; empty if there is none.
  std::string last_words(const TaskId& task) const;

  /// Makes the directories. For the controller.
  void make() const;

  void write_array(const JobArray& array, const std::string& script) const;
  /// All arrays, in their order. Throws an Error that names the file of one that cannot be read.
  std::vector<JobArray> arrays() const;
  JobArray array(const std::filesystem::path& file) const;

  void write_job(std::size_t array, const std::string& job) const;
  std::optional<std::string> job(std::size_t array) const;

  void write_control(const ClusterControl& control) const;
  /// What was written last; nothing is closed if there is none yet.
  ClusterControl control() const;

  void write_cancelled() const;
  void remove_cancelled() const;
  bool is_cancelled() const;

  /// Takes a task for this process: true for exactly one of all that try, on any node.
  bool claim(const TaskId& task) const;
  bool is_claimed(const TaskId& task) const;

  void write_node(const TaskId& task, const NodeReport& report) const;
  std::optional<NodeReport> node(const TaskId& task) const;
  void write_end(const TaskId& task, const TaskEnd& end) const;
  std::optional<TaskEnd> end(const TaskId& task) const;

 private:
  std::filesystem::path path_;
};

}  // namespace prengdl
