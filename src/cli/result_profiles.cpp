// SPDX-License-Identifier: Apache-2.0
#include "cli/result_profiles.h"

#include <algorithm>

#include "stats/summary.h"
#include "store/profiles.h"

namespace prengdl {
namespace {

bool is_profiled(const StoredRun& run) {
  return std::find(run.run.flags.begin(), run.run.flags.end(), "profiled") != run.run.flags.end();
}

/// Seconds of the run under the profiler against the median of the cell's own runs.
std::optional<double> slow_down_of(const std::vector<StoredRun>& runs, const Cell& cell) {
  std::vector<double> counted;
  std::optional<double> profiled;
  for (const auto& run : runs) {
    if (run.cell != cell || run.outcome != Outcome::ok || run.excluded) continue;
    if (is_profiled(run))
      profiled = run.run.wall.count();
    else if (!run.is_warmup)
      counted.push_back(run.run.wall.count());
  }
  if (!profiled || counted.empty()) return std::nullopt;
  return *profiled / median(counted);
}

}  // namespace

std::optional<Joules> measured_joules(const std::vector<StoredRun>& runs, const Cell& cell) {
  Joules sum{};
  double count = 0;
  for (const auto& run : runs) {
    if (run.cell != cell || run.is_warmup || run.excluded || run.outcome != Outcome::ok) continue;
    const auto& metered = run.run.energy.metered;
    if (!metered || metered->quality == Quality::model) return std::nullopt;
    sum += metered->value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return Joules{sum.value / count};
}

std::vector<ProfileCost> profiles_of(const ResultStore& store, const ResultStudy& result,
                                     const CellPattern& where, const ApiTable& table) {
  std::vector<ProfileCost> costs;
  for (const auto& cell : cells_of(result.study)) {
    const auto path = profile_of(store.directory(), cell);
    std::error_code none;
    if (!fits(result.study, where, cell) || !std::filesystem::exists(path, none)) continue;
    auto profile = read_profile(path);
    if (!profile) throw Error(profile.error());
    ProfileCost& cost =
        costs.emplace_back(cost_of(name_of(result.study, cell), std::move(*profile), table));
    cost.slow_down = slow_down_of(result.runs, cell);
    const auto joules = measured_joules(result.runs, cell);
    if (!joules) continue;
    for (auto& function : cost.functions)
      if (function.share) function.joules = Joules{joules->value * *function.share};
  }
  return costs;
}

}  // namespace prengdl
