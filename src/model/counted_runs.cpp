// SPDX-License-Identifier: Apache-2.0
#include "model/counted_runs.h"

#include <algorithm>
#include <iterator>

namespace prengdl {

namespace {

RunStanding standing_of(const StoredRun& run) {
  return {run.id, run.machine, run.cell, run.block, run.attempt, run.repeats, is_good(run)};
}

}  // namespace

bool is_good(const StoredRun& run) {
  return run.outcome == Outcome::ok && !run.is_warmup && !run.excluded;
}

CountedRuns::CountedRuns(const std::vector<StoredRun>& runs, bool has_blocks)
    : CountedRuns(has_blocks) {
  for (const auto& run : runs) add(run);
}

void CountedRuns::add(const StoredRun& run) { add(standing_of(run)); }

void CountedRuns::add(const RunStanding& run) {
  if (!run.is_good) return;
  if (run.repeats) repeated_.insert(*run.repeats);
  if (!has_blocks_) return;
  const auto machine = machines_.try_emplace(run.machine, machines_.size()).first->second;
  const auto cell = cells_.try_emplace(run.cell, cells_.size()).first->second;
  const auto [last, is_new] =
      last_.try_emplace({machine, run.block, cell}, Attempt{run.attempt, run.id});
  if (!is_new && run.attempt >= last->second.number) last->second = {run.attempt, run.id};
}

bool CountedRuns::counts(const StoredRun& run) const { return counts(standing_of(run)); }

bool CountedRuns::counts(const RunStanding& run) const {
  if (!run.is_good || repeated_.contains(run.id)) return false;
  if (!has_blocks_) return true;
  const auto machine = machines_.find(run.machine);
  const auto cell = cells_.find(run.cell);
  if (machine == machines_.end() || cell == cells_.end()) return false;
  const auto last = last_.find({machine->second, run.block, cell->second});
  return last != last_.end() && last->second.number == run.attempt && last->second.run == run.id;
}

std::vector<const StoredRun*> CountedRuns::among(const std::vector<StoredRun>& runs) const {
  std::vector<const StoredRun*> counted;
  for (const auto& run : runs)
    if (counts(run)) counted.push_back(&run);
  return counted;
}

std::vector<const StoredRun*> counted_runs(const std::vector<StoredRun>& runs, bool has_blocks) {
  return CountedRuns(runs, has_blocks).among(runs);
}

std::vector<Run> runs_to_average(const std::vector<Run>& runs, bool ignore_failure) {
  const bool with_failures = ignore_failure || std::none_of(runs.begin(), runs.end(), succeeded);
  std::vector<Run> whole;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(whole), [&](const Run& run) {
    return succeeded(run) || (with_failures && !run.timed_out && !run.interrupted);
  });
  return whole;
}

}  // namespace prengdl
