// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "cluster/job_array.h"
#include "cluster/scheduler.h"

namespace prengdl {

/// A task that was submitted and has not ended, as far as is known.
struct ActiveTask {
  std::string name;                 // of its array's jobs
  std::vector<std::size_t> blocks;  // that no other task has
  std::size_t planned = 0;          // runs
  std::size_t made = 0;             // runs that are in the result
  bool is_claimed = false;          // a node has begun it
  std::string node;
  std::string job;            // as the scheduler's commands take it
  std::string state, reason;  // as listed last; empty before
  std::string submitted;      // by the scheduler's clock, as first listed
  std::size_t unseen = 0;     // lists in a row in which it does not run or wait
};

/// A task that will not end by itself any more, and why.
struct LostTask {
  enum class Kind {
    ended,      // by itself, without a word: its program failed or ran out of time
    cancelled,  // by somebody
    taken       // by the cluster: node lost, preempted, forgotten, started twice
  };
  TaskId task;
  Kind kind = Kind::taken;
  std::string why;                    // "NODE_FAIL (n3)"
  std::optional<std::string> cancel;  // a job that would still start or run
};

/// The tasks that were submitted, and what the scheduler says of them. It decides by names that
/// nobody else has and by the time of submission, never by ids, which a restarted scheduler gives
/// out again.
class TaskTable {
 public:
  std::map<TaskId, ActiveTask> tasks;

  /// Takes a list of the scheduler and gives the tasks that are lost. A job that has ended must be
  /// missing from two lists, since the file system may show its last record later than the
  /// scheduler its end.
  std::vector<LostTask> take(const std::vector<ListedJob>& jobs);

  /// The names of all jobs, each once.
  std::vector<std::string> names() const;

  std::size_t running() const;
  /// Why tasks wait, and how many do: "Resources" 12.
  std::map<std::string, std::size_t> waiting() const;
  bool has_block(std::size_t block) const;
};

}  // namespace prengdl
