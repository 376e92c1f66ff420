// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cluster/cluster_directory.h"
#include "cluster/task_table.h"

namespace prengdl {

/// A job of a study, for people.
struct ShownJob {
  std::string job, state, reason, node;
  std::vector<std::size_t> blocks;  // from 0
  std::size_t made = 0, planned = 0;
};

/// Jobs and nodes of a study, as its controller knows them.
struct ShownCluster {
  std::string at;  // when the controller wrote it
  std::string host;
  std::int64_t pid = 0;
  bool is_away = false;                        // the scheduler does not answer
  std::vector<ShownJob> jobs;                  // that run or wait
  std::map<std::string, std::size_t> waiting;  // by reason
  std::size_t running = 0;
};

/// RESULT/cluster/state.json: what `status` and `serve` show of jobs. Written by the controller, at
/// most every two seconds; one that was killed leaves it behind.
class ClusterState {
 public:
  explicit ClusterState(const ClusterDirectory& directory) : directory_(directory) {}

  /// Gives the same in a few words: "3 jobs run, 12 wait (Resources)".
  std::string tell(const TaskTable& table, bool is_away, std::int64_t now_ns);

 private:
  const ClusterDirectory& directory_;
  std::int64_t written_ns_ = 0;
};

/// "3 jobs run, 12 wait (Resources)".
std::string summary_of(const ShownCluster& cluster);

/// Of all reasons.
std::size_t waiting_jobs(const ShownCluster& cluster);

/// False also for one on another machine, of which nothing can be known.
bool has_controller_ended(const ShownCluster& cluster);

/// Jobs that run come first, then those that wait; at most so many.
std::vector<ShownJob> first_jobs(const ShownCluster& cluster, std::size_t most);

/// As in the file, without its schema: `at`, `host`, `pid`, `scheduler_answers`, `running`,
/// `waiting{REASON}`, and `jobs[]` with blocks from 1.
Json json_of(const ShownCluster& cluster);

/// Nothing for a result without jobs.
std::optional<ShownCluster> read_cluster_state(const std::filesystem::path& result);

}  // namespace prengdl
