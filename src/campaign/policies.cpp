// SPDX-License-Identifier: Apache-2.0
#include "campaign/policies.h"

#include <fmt/core.h>

#include "base/amounts.h"
#include "base/clock.h"

namespace prengdl {

std::optional<std::string> Budget::used_up(Joules energy, std::int64_t now_ns) const {
  if (energy_ && energy >= *energy_)
    return fmt::format("{} were used", with_prefix(energy.value, "J"));
  const Seconds spent = spent_before_ + seconds_between(begin_ns_, now_ns);
  if (time_ && spent >= *time_) return fmt::format("{} have passed", for_people(spent));
  return std::nullopt;
}

bool GivenUpCells::count(const StoredRun& run) {
  std::size_t& failures = failures_in_a_row_[run.cell];
  failures = run.outcome == Outcome::ok ? 0 : failures + 1;
  return failures >= after_ && cells_.insert(run.cell).second;
}

std::vector<std::string> DecidedCases::look(std::size_t block, RunKeeper& keeper) {
  std::vector<std::string> reasons;
  if (stopping_.rule == Stopping::Rule::never || block < stopping_.at_least) return reasons;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (decided_.contains(i)) continue;
    const auto why = keeper.may_stop(i);
    if (!why) continue;
    decided_.insert(i);
    cells_.insert(cases_[i].begin(), cases_[i].end());
    keeper.note(StudyEventKind::stop_early, *why);
    reasons.push_back(*why);
  }
  return reasons;
}

}  // namespace prengdl
