// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/units.h"
#include "cluster/job_array.h"
#include "model/study.h"
#include "study/design.h"

namespace prengdl {

/// What was tried at each place of the plan.
using TriedPlaces = std::map<std::size_t, std::vector<Tried>>;

/// What a block that no job has is still due, a case always as a whole: its levels are compared
/// with each other, so they run next to each other on one node. Attempts of a case that has to be
/// made again become void. `is_wanted` says which cells count; `forgiven` how many of the first
/// attempts at a place do not count as failures. Nothing if the block is done.
std::optional<TaskBlock> due_block(const Study& study, const Design& design, std::size_t block,
                                   const TriedPlaces& tried,
                                   const std::function<bool(std::size_t cell)>& is_wanted,
                                   const std::function<std::size_t(std::size_t place)>& forgiven);

/// How many blocks one job gets: as the study says; else so many that `jobs` jobs make all of them,
/// but no more than fit into the time limit if a block is known to take `block_time`.
std::size_t blocks_per_job(const SlurmSettings& settings, std::size_t blocks,
                           const std::optional<Seconds>& block_time);

/// The blocks in tasks of `each` blocks, in their order.
std::vector<ClusterTask> tasks_of(std::vector<TaskBlock> blocks, std::size_t each);

}  // namespace prengdl
