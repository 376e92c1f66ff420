// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/this_process.h"
#include "campaign/asked_cells.h"
#include "campaign/campaign.h"
#include "campaign/local_executor.h"
#include "campaign/requirements.h"
#include "cluster/cluster_directory.h"

namespace prengdl {

/// What a job finds on its node, ready for its runs.
struct NodeWork {
  const Study& study;
  const Design& design;
  const std::vector<RefusedCell>& refused;
  LocalSettings local;
  const Meters& meters;
  TellProgress progress;  // may be null
};

/// A task of a job array, as seen by the job that makes it. Runs, reports and errors go to the
/// task's directory on the shared file system; the controller takes them from there.
class NodeTask {
 public:
  /// Reads the file of an array; which of its tasks this is, and on which node, the variables of
  /// Slurm say. Throws a UsageError where they do not.
  NodeTask(const std::filesystem::path& array_file, const Variables& variables, Clock& clock);

  const JobArray& array() const { return array_; }
  const ClusterTask& task() const { return array_.tasks.at(id_.index); }
  const std::string& node() const { return node_; }
  std::filesystem::path result() const { return directory_.path().parent_path(); }
  /// For the runs' own directories, on a disk of the node.
  std::filesystem::path scratch() const;

  /// Takes the task; if somebody else has it, gives who, in words.
  std::optional<std::string> claim() const;

  /// Ends what lost jobs have left on the node. Gives an end if the task cannot be made: it is not
  /// wanted any more, or the node is not ours alone.
  std::optional<TaskEnd> begin() const;

  void report(const MachineRecord& machine) const;

  /// Makes the runs. Every one that is done is safe when the next one starts.
  TaskEnd make(NodeWork work);

  void end(const TaskEnd& end) const { directory_.write_end(id_, end); }

 private:
  void remove_old_scratch(const ClusterControl& control) const;
  bool leaves_off(const RunRequest& request, const Design& design);
  void make_aa(const NodeWork& work, RunKeeper& keeper);

  ClusterDirectory directory_;
  JobArray array_;
  TaskId id_;
  std::string node_, job_, configuration_;
  Clock& clock_;
  std::int64_t begin_ns_;
  std::string left_off_;                 // why
  std::map<std::size_t, Seconds> took_;  // by cell, the longest run so far with the wait before it
  std::int64_t run_begin_ns_ = 0;
  std::optional<RunRequest> last_;
};

}  // namespace prengdl
