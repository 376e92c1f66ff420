// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "campaign/asked_cells.h"
#include "cluster/due_blocks.h"
#include "cluster/job_array.h"
#include "model/result.h"

namespace prengdl {

/// What of a study is still to be made, while jobs make it.
class DueWork {
 public:
  /// `tried` is what the result has. The arrays of earlier starts say which of it is void.
  DueWork(const Study& study, const Design& design, const AskedCells& asked,
          const DueSettings& settings, const std::vector<JobArray>& arrays, TriedPlaces tried);

  /// Blocks that are due and that no task has.
  std::set<std::size_t> free;
  /// Cells that need no more runs.
  std::set<Cell> closed;

  std::size_t due_places() const { return places_.size(); }
  std::size_t all_due_places() const { return all_; }  // also beyond the blocks asked for
  std::size_t done_blocks() const { return done_blocks_; }
  bool is_wanted(std::size_t cell) const;

  /// The free blocks as tasks of so many blocks, the first `most` of them. Their cases are made
  /// from the start.
  std::vector<ClusterTask> hand_out(const SlurmSettings& settings,
                                    const std::optional<Seconds>& block_time, std::size_t most);

  /// One task per case for cells without a profile.
  std::vector<ClusterTask> profiles(const std::function<bool(const Cell&)>& has_profile) const;

  /// Takes a counted run; true if its place needs no more.
  bool take(const StoredRun& run);

  /// Blocks of a task that is over: those that are not done become free. True if there are any.
  bool release(const std::vector<std::size_t>& blocks);

 private:
  std::optional<TaskBlock> due(std::size_t block) const;

  const Study& study_;
  const Design& design_;
  std::vector<bool> is_asked_;  // by cell
  TriedPlaces tried_;
  std::map<std::size_t, std::size_t> forgiven_;  // by place
  std::set<std::size_t> places_;                 // that this start is to make
  std::size_t all_ = 0;
  std::size_t done_blocks_ = 0;
};

}  // namespace prengdl
