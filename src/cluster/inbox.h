// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "campaign/due.h"
#include "cluster/cluster_directory.h"
#include "cluster/task_table.h"
#include "store/result.h"

namespace prengdl {

/// Why a run of a job that was lost does not count.
constexpr const char* late_reason = "late: its block was given to another job";

/// What a result has of the plan, without runs that came late.
Stored stored_in_time(const ResultStore& store);

/// Takes what the nodes have written into the result.
class Inbox {
 public:
  Inbox(const ClusterDirectory& directory, ResultStore& store)
      : directory_(directory), store_(store) {}

  struct News {
    std::vector<std::pair<TaskId, StoredRun>> runs;  // in the order in which they were taken
    std::vector<std::pair<TaskId, TaskEnd>> ended;   // and all of their records are taken
    std::vector<StudyEvent> notes;                   // late runs, wrong clocks
    std::vector<Error> troubles;
  };

  /// All that is new, up to some hundred runs. Tasks that a node has begun are marked in the table.
  /// Runs of closed tasks are stored as excluded.
  News look(TaskTable& table, const ClusterControl& control);

  /// The runs of one task that are new, whether it is closed or not.
  std::vector<StoredRun> take(const TaskId& task);

  /// The directory of a task that has ended and whose records are taken.
  void remove(const TaskId& task) const;

 private:
  void meet_node(const TaskId& id, ActiveTask& task, News& news);

  const ClusterDirectory& directory_;
  ResultStore& store_;
};

}  // namespace prengdl
