// SPDX-License-Identifier: Apache-2.0
#include "campaign/progress.h"

#include <algorithm>
#include <utility>

namespace prengdl {

ProgressCount::ProgressCount(const Study& study, const std::vector<PlannedRun>& plan,
                             const Stored& before, Clock& clock, TellProgress tell)
    : failures(before.failures),
      study_(study),
      clock_(clock),
      tell_(std::move(tell)),
      planned_(plan.size()),
      energy_(before.energy),
      quality_(before.quality),
      pace_(clock.now_ns()) {
  for (const auto& planned : plan) blocks_ = std::max(blocks_, planned.block + 1);
}

void ProgressCount::add_cost(const StoredRun& run) {
  power_.reset();
  const auto& metered = run.run.energy.metered;
  if (!metered) return;
  if (run.run.window > Seconds{0})
    power_ = Power{metered->value / run.run.window, metered->quality};
  energy_ += metered->value;
  quality_ = std::max(quality_.value_or(metered->quality), metered->quality);
}

void ProgressCount::one_done() {
  ++done;
  --left;
  pace_.one_done(clock_.now_ns());
}

StudyProgress ProgressCount::now(const std::string& doing, const Cell& cell,
                                 std::size_t block) const {
  StudyProgress progress;
  progress.doing = doing;
  progress.cell = cell;
  progress.what = name_of(study_, cell);
  progress.block = block;
  progress.blocks = blocks_;
  progress.done = done;
  progress.planned = planned_;
  progress.failures = failures;
  progress.energy = energy_;
  progress.quality = quality_;
  progress.time_left = pace_.left(left, clock_.now_ns());
  progress.is_profile = is_profiling;
  return progress;
}

void ProgressCount::tell(const std::string& doing, const Cell& cell, std::size_t block,
                         const std::optional<Power>& power) const {
  if (!tell_) return;
  StudyProgress progress = now(doing, cell, block);
  progress.power = power;
  tell_(progress);
}

void ProgressCount::tell_all(const std::string& doing, std::size_t block) const {
  if (!tell_) return;
  StudyProgress progress = now(doing, {}, block);
  progress.what.clear();
  progress.power = power_;
  tell_(progress);
}

void ProgressCount::tell_end(const std::string& doing, const StoredRun& run) const {
  if (!tell_) return;
  StudyProgress progress = now(doing, run.cell, run.block);
  progress.power = power_;
  progress.ended = run.id;
  tell_(progress);
}

std::string doing_text(const RunRequest& run, Phase phase) {
  switch (phase) {
    case Phase::idle_machine:
      return "measuring the idle machine";
    case Phase::quiet_machine:
      return "waiting for a quiet machine";
    case Phase::control_load:
      return "warming the machine";
    case Phase::run:
      break;
  }
  return run.kind == RunRequest::Kind::warmup    ? "warming up"
         : run.kind == RunRequest::Kind::profile ? "profiling"
                                                 : "running";
}

}  // namespace prengdl
