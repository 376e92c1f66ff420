// SPDX-License-Identifier: Apache-2.0
#include "cluster/due_work.h"

#include <algorithm>

namespace prengdl {
namespace {

/// Attempts that a task had to make again: their cases were not finished.
std::set<std::string> void_runs(const std::vector<JobArray>& arrays) {
  std::set<std::string> runs;
  for (const auto& array : arrays)
    for (const auto& task : array.tasks)
      for (const auto& block : task.blocks)
        for (const auto& [place, tries] : block.places)
          for (const auto& one : tries)
            if (one.is_void) runs.insert(one.run);
  return runs;
}

}  // namespace

DueWork::DueWork(const Study& study, const Design& design, const AskedCells& asked,
                 const DueSettings& settings, const std::vector<JobArray>& arrays,
                 TriedPlaces tried)
    : study_(study), design_(design), tried_(std::move(tried)) {
  for (const auto& cell : design.cells())
    is_asked_.push_back(std::find(asked.cells().begin(), asked.cells().end(), cell) !=
                        asked.cells().end());
  const auto repeated = void_runs(arrays);
  for (auto& [place, tries] : tried_) {
    for (auto& one : tries) one.is_void = repeated.contains(one.run);
    if (const auto count = forgiven_of(tries, settings.retry_failed)) forgiven_[place] = count;
  }
  for (std::size_t block = 0; block < design.blocks(); ++block) {
    const auto now = due(block);
    if (!now) {
      ++done_blocks_;
      continue;
    }
    all_ += now->places.size();
    if (free.size() >= settings.most_blocks) continue;
    free.insert(block);
    for (const auto& [place, tries] : now->places) places_.insert(place);
  }
}

bool DueWork::is_wanted(std::size_t cell) const {
  return is_asked_[cell] && !closed.contains(design_.cells()[cell]);
}

std::optional<TaskBlock> DueWork::due(std::size_t block) const {
  return due_block(
      study_, design_, block, tried_, [this](std::size_t cell) { return is_wanted(cell); },
      [this](std::size_t place) {
        const auto found = forgiven_.find(place);
        return found == forgiven_.end() ? 0 : found->second;
      });
}

std::vector<ClusterTask> DueWork::hand_out(const SlurmSettings& settings,
                                           const std::optional<Seconds>& block_time,
                                           std::size_t most) {
  std::vector<TaskBlock> blocks;
  for (const auto block : free)
    if (auto now = due(block)) blocks.push_back(std::move(*now));
  const std::size_t each = blocks_per_job(settings, blocks.size(), block_time);
  auto tasks = tasks_of(std::move(blocks), each);
  if (tasks.size() > most) tasks.resize(most);
  for (const auto& task : tasks)
    for (const auto& block : task.blocks)
      for (const auto& [place, tries] : block.places) {
        tried_[place] = tries;
        if (places_.insert(place).second) ++all_;
      }
  return tasks;
}

std::vector<ClusterTask> DueWork::profiles(
    const std::function<bool(const Cell&)>& has_profile) const {
  std::vector<ClusterTask> tasks;
  const auto runs = design_.runs_of(0);
  for (const auto& cells : design_.cases()) {
    TaskBlock block;
    for (const auto& run : runs) {
      const auto tries = tried_.find(run.place);
      const bool is_of_case = std::find(cells.begin(), cells.end(), run.cell) != cells.end();
      if (!is_of_case || !is_wanted(run.cell) || tries == tried_.end() ||
          has_profile(design_.cells()[run.cell]))
        continue;
      auto& made = block.places[run.place] = tries->second;
      for (auto& one : made) one.is_void = false;  // nothing of it is made again
    }
    if (!block.places.empty()) tasks.push_back({{std::move(block)}, true});
  }
  return tasks;
}

bool DueWork::take(const StoredRun& run) {
  auto& tries = tried_[run.place];
  tries.push_back(tried(run));
  if (due_attempt(study_, run.cell, tries) || places_.erase(run.place) == 0) return false;
  --all_;
  return true;
}

bool DueWork::release(const std::vector<std::size_t>& blocks) {
  bool is_any = false;
  for (const auto block : blocks) {
    if (due(block)) {
      free.insert(block);
      is_any = true;
    } else {
      ++done_blocks_;
    }
  }
  return is_any;
}

}  // namespace prengdl
