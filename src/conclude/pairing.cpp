// SPDX-License-Identifier: Apache-2.0
#include "conclude/pairing.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace prengdl {
namespace {

using Runs = std::vector<const StoredRun*>;

/// The wall clock has steps of a second, which the monotonic clock divides.
using Start = std::tuple<std::string, std::int64_t>;

Start start_of(const StoredRun& run) { return {run.run.started_at, run.run.begin_ns}; }

bool is_known(const Start& start) { return !std::get<0>(start).empty() || std::get<1>(start) > 0; }

struct TimedPair {
  std::string machine;
  Start a, b;
};

/// Runs of one block on one machine, in the order of time within each machine.
std::vector<TimedPair> pairs_of(const Runs& a, const Runs& b) {
  std::map<std::pair<std::string, std::size_t>, const StoredRun*> partners;
  for (const auto* run : b) partners[{run->machine, run->block}] = run;
  std::vector<TimedPair> pairs;
  for (const auto* run : a)
    if (const auto partner = partners.find({run->machine, run->block}); partner != partners.end())
      pairs.push_back({run->machine, start_of(*run), start_of(*partner->second)});
  std::sort(pairs.begin(), pairs.end(), [](const TimedPair& x, const TimedPair& y) {
    return std::tuple(x.machine, std::min(x.a, x.b)) < std::tuple(y.machine, std::min(y.a, y.b));
  });
  return pairs;
}

/// Pairs that began before the one before them had both its runs started.
std::size_t overlapping(const std::vector<TimedPair>& pairs) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < pairs.size(); ++i)
    count += pairs[i].machine == pairs[i - 1].machine &&
             std::min(pairs[i].a, pairs[i].b) <= std::max(pairs[i - 1].a, pairs[i - 1].b);
  return count;
}

/// Whether runs share a start time, so that their order is not known.
bool are_too_coarse(const std::vector<TimedPair>& pairs) {
  std::set<std::pair<std::string, Start>> seen;
  for (const auto& pair : pairs)
    for (const auto& start : {pair.a, pair.b})
      if (!seen.insert({pair.machine, start}).second) return true;
  return false;
}

/// Of two runs on one machine, one of each level, how often the first level's started later: 0 or
/// 1 if one level ran as a whole before the other.
double share_later(const Runs& a, const Runs& b) {
  std::map<std::string, std::vector<Start>> starts;
  for (const auto* run : b) starts[run->machine].push_back(start_of(*run));
  for (auto& [machine, sorted] : starts) std::sort(sorted.begin(), sorted.end());
  double later = 0;
  double all = 0;
  for (const auto* run : a) {
    const auto& others = starts[run->machine];
    const auto [low, high] = std::equal_range(others.begin(), others.end(), start_of(*run));
    later += static_cast<double>((low - others.begin()) + (high - others.begin())) / 2;
    all += static_cast<double>(others.size());
  }
  return all > 0 ? later / all : 0.5;
}

bool has_common_machine(const Runs& a, const Runs& b) {
  std::set<std::string> machines;
  for (const auto* run : a) machines.insert(run->machine);
  return std::any_of(b.begin(), b.end(),
                     [&](const auto* run) { return machines.contains(run->machine); });
}

bool have_starts(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const auto* run) { return is_known(start_of(*run)); });
}

/// How independent samples depend on the order in which they were made.
std::optional<CaveatText> confounding(const Runs& a, const Runs& b,
                                      const std::array<std::string, 2>& levels) {
  if (!has_common_machine(a, b)) return confounded_machine();
  constexpr std::size_t fewest = 2;  // runs of a level that can be before or after others
  constexpr double nearly_all = 0.9;
  if (a.size() < fewest || b.size() < fewest || !have_starts(a) || !have_starts(b))
    return std::nullopt;
  const double later = share_later(a, b);
  if (later < nearly_all && later > 1 - nearly_all) return std::nullopt;
  const std::size_t first = later > 0.5 ? 1 : 0;
  return CaveatText{Caveat::confounded_time,
                    fmt::format("{} ran before {}, so a drift of the machine would look the same",
                                levels[first], levels[1 - first])};
}

RunOrder independent(std::string reason, std::optional<CaveatText> caveat) {
  return {false, {false, std::move(reason)}, std::move(caveat)};
}

}  // namespace

CaveatText confounded_machine() {
  return {Caveat::confounded_machine,
          "no machine ran both levels, so a difference between the machines would look the same"};
}

RunOrder order_of_runs(const Runs& a, const Runs& b, const std::array<std::string, 2>& levels,
                       bool has_blocks) {
  if (!has_blocks)
    return independent("the runs have no blocks, so they are compared as independent samples",
                       confounding(a, b, levels));
  const auto pairs = pairs_of(a, b);
  if (pairs.empty())
    return independent("no block has a run of both levels", confounding(a, b, levels));
  if (!have_starts(a) || !have_starts(b))
    return {true, {false, "the blocks are those of the imported data: no start times"}, {}};
  if (are_too_coarse(pairs))
    return {true, {false, "the start times are too coarse to prove that blocks are pairs"}, {}};
  const std::size_t strays = overlapping(pairs);
  if (strays * 10 > pairs.size())
    return independent(fmt::format("runs of a block did not run next to each other: {} of {} "
                                   "blocks overlap the one before",
                                   strays, pairs.size()),
                       confounding(a, b, levels));
  const auto first = static_cast<std::size_t>(std::count_if(
      pairs.begin(), pairs.end(), [](const TimedPair& pair) { return pair.a < pair.b; }));
  if (std::min(first, pairs.size() - first) < pairs.size() / 4) {
    const std::size_t leader = first * 2 > pairs.size() ? 0 : 1;
    std::string words =
        fmt::format("{} ran before {} in {} of {} blocks", levels[leader], levels[1 - leader],
                    std::max(first, pairs.size() - first), pairs.size());
    return independent(words, CaveatText{Caveat::fixed_order, words});
  }
  return {true,
          {true, fmt::format("runs of one block ran next to each other, {} first in {} of {}",
                             levels[0], first, pairs.size())},
          {}};
}

}  // namespace prengdl
