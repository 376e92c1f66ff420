// SPDX-License-Identifier: Apache-2.0
#include "campaign/due.h"

#include <fmt/core.h>
#include <sys/random.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "study/workload.h"

namespace prengdl {

Tried tried(const StoredRun& run) { return {run.id, run.outcome, is_disturbed(run), false}; }

Stored what_is_stored(std::vector<StoredRun> runs) {
  Stored stored;
  std::sort(runs.begin(), runs.end(),
            [](const auto& a, const auto& b) { return a.attempt < b.attempt; });
  for (const auto& run : runs) {
    if (const auto& metered = run.run.energy.metered) {
      stored.energy += metered->value;
      stored.quality = std::max(stored.quality.value_or(metered->quality), metered->quality);
    }
    stored.time += run.run.wall;
    if (run.run.settling) stored.time += run.run.settling->took;
    if (run.is_warmup) continue;
    if (run.outcome != Outcome::ok) ++stored.failures;
    stored.places[run.place].push_back(tried(run));
  }
  return stored;
}

std::optional<DueAttempt> due_attempt(const Study& study, const Cell& cell,
                                      const std::vector<Tried>& tries, std::size_t forgiven) {
  if (tries.empty()) return DueAttempt{};
  const Tried& last = tries.back();
  const auto disturbed = std::find_if(tries.begin(), tries.end(), [](const Tried& one) {
    return one.outcome == Outcome::ok && one.disturbed && !one.is_void;
  });
  DueAttempt next{tries.size(), std::nullopt};
  if (last.is_void) {
    const auto good = std::find_if(tries.rbegin(), tries.rend(),
                                   [](const Tried& one) { return one.outcome == Outcome::ok; });
    if (good != tries.rend()) next.repeats = good->run;
    return next;
  }
  if (disturbed != tries.end()) next.repeats = disturbed->run;
  if (last.outcome != Outcome::ok) {
    if (tries.size() <= forgiven) return next;
    const Retry retry = workload_for(study, cell).retry;
    const auto failures =
        std::count_if(tries.begin() + static_cast<std::ptrdiff_t>(forgiven), tries.end(),
                      [](const Tried& one) { return one.outcome != Outcome::ok && !one.is_void; });
    const bool may_retry = last.outcome != Outcome::timeout || retry.after_timeout;
    return may_retry && failures <= retry.times ? std::optional(next) : std::nullopt;
  }
  // Heat and throttling are the workload's own doing; only what came from outside is repeated, and
  // only once, so that a busy machine cannot keep a study for ever.
  const bool is_first = next.repeats == last.run;
  if (study.protocol.repeat_disturbed && last.disturbed && is_first) return next;
  return std::nullopt;
}

std::size_t forgiven_of(const std::vector<Tried>& tries, bool retry_failed) {
  const bool has_failed = !tries.empty() && tries.back().outcome != Outcome::ok;
  return retry_failed && has_failed ? tries.size() : 0;
}

std::vector<PlannedRun> due_runs(const Study& study, const std::vector<PlannedRun>& plan,
                                 const std::vector<Cell>& cells, const Stored& stored,
                                 const DueSettings& settings) {
  static const std::vector<Tried> none;
  std::vector<PlannedRun> due;
  std::set<std::size_t> blocks;
  for (const auto& planned : plan) {
    const auto found = stored.places.find(planned.place);
    const auto& tries = found == stored.places.end() ? none : found->second;
    if (!due_attempt(study, cells.at(planned.cell), tries,
                     forgiven_of(tries, settings.retry_failed)))
      continue;
    blocks.insert(planned.block);
    if (blocks.size() > settings.most_blocks) break;
    due.push_back(planned);
  }
  return due;
}

bool is_disturbed(const StoredRun& run) { return run.run.flags.contains(Flag::disturbed); }

std::string new_run_id(std::size_t block, std::size_t place, std::size_t attempt) {
  std::uint32_t number{};
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    throw Error("the kernel gives no random numbers");
  return fmt::format("b{:04}-p{:06}-t{}-{:08x}", block + 1, place + 1, attempt, number);
}

}  // namespace prengdl
