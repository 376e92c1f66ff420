// SPDX-License-Identifier: Apache-2.0
#include "cluster/due_blocks.h"

#include <algorithm>
#include <cmath>

namespace prengdl {
namespace {

/// Of the time limit; the rest is for starting, staging and a slower node.
constexpr double usable_time = 0.8;

}  // namespace

std::optional<TaskBlock> due_block(const Study& study, const Design& design, std::size_t block,
                                   const TriedPlaces& tried,
                                   const std::function<bool(std::size_t)>& is_wanted,
                                   const std::function<std::size_t(std::size_t)>& forgiven) {
  static const std::vector<Tried> none;
  const auto tries_at = [&](std::size_t place) -> const std::vector<Tried>& {
    const auto found = tried.find(place);
    return found == tried.end() ? none : found->second;
  };
  std::vector<std::size_t> case_of(design.cells().size());
  for (std::size_t i = 0; i < design.cases().size(); ++i)
    for (const auto cell : design.cases()[i]) case_of[cell] = i;

  const auto runs = design.runs_of(block);
  std::vector<bool> is_due(design.cases().size());
  for (const auto& run : runs)
    if (is_wanted(run.cell) &&
        due_attempt(study, design.cells()[run.cell], tries_at(run.place), forgiven(run.place)))
      is_due[case_of[run.cell]] = true;

  TaskBlock due{block, {}};
  for (const auto& run : runs) {
    if (!is_wanted(run.cell) || !is_due[case_of[run.cell]]) continue;
    auto& tries = due.places[run.place] = tries_at(run.place);
    for (auto& one : tries) one.is_void = true;
  }
  return due.places.empty() ? std::nullopt : std::optional(std::move(due));
}

std::size_t blocks_per_job(const SlurmSettings& settings, std::size_t blocks,
                           const std::optional<Seconds>& block_time) {
  if (settings.blocks_per_job > 0) return settings.blocks_per_job;
  if (settings.jobs == 0) return 1;
  std::size_t each = (blocks + settings.jobs - 1) / settings.jobs;
  if (settings.time && block_time && *block_time > Seconds{0})
    each = std::min(
        each, static_cast<std::size_t>(std::floor(usable_time * (*settings.time / *block_time))));
  return std::max<std::size_t>(each, 1);
}

std::vector<ClusterTask> tasks_of(std::vector<TaskBlock> blocks, std::size_t each) {
  std::vector<ClusterTask> tasks;
  for (auto& block : blocks) {
    if (tasks.empty() || tasks.back().blocks.size() >= each) tasks.emplace_back();
    tasks.back().blocks.push_back(std::move(block));
  }
  return tasks;
}

}  // namespace prengdl
