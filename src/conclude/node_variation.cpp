// SPDX-License-Identifier: Apache-2.0
#include "conclude/node_variation.h"

#include <cmath>
#include <map>

#include "conclude/work.h"
#include "stats/group_effect.h"

namespace prengdl {
namespace {

/// Of one machine: the logs of each level by block, or by number of the run if there are no blocks.
using LevelsByPlace = std::map<std::size_t, std::map<std::size_t, double>>;

std::optional<double> cost_of(const Run& run, const std::string& measure,
                              const std::optional<std::string>& per, const Window& window) {
  const auto value = value_in(run, window, measure);
  if (!value || !per) return value;
  const auto work = work_of(run, *per);
  return work ? std::optional(*value / *work) : std::nullopt;
}

/// Only blocks that have all levels; without blocks, all runs of a machine that ran all levels.
std::optional<GroupLogs> logs_of_machine(const LevelsByPlace& places, std::size_t levels,
                                         bool has_blocks) {
  GroupLogs logs;
  logs.levels.resize(levels);
  for (const auto& [place, by_level] : places) {
    if (has_blocks && by_level.size() < levels) continue;
    for (const auto& [level, log] : by_level) logs.levels[level].push_back(log);
  }
  for (const auto& level : logs.levels)
    if (level.empty()) return std::nullopt;
  return logs;
}

}  // namespace

std::optional<NodeVariation> node_variation(const CaseRuns& one_case, const std::string& measure,
                                            const std::optional<std::string>& per,
                                            const Window& window, bool has_blocks) {
  std::map<std::string, LevelsByPlace> machines;
  std::size_t levels = 0;  // that have figures
  for (const auto& runs : one_case.levels) {
    std::size_t number = 0;
    for (const auto* run : runs) {
      const auto cost = cost_of(run->run, measure, per, window);
      if (!cost) continue;
      if (!(*cost > 0)) return std::nullopt;
      machines[run->machine][has_blocks ? run->block : number][levels] = std::log(*cost);
      ++number;
    }
    levels += number > 0;
  }
  if (machines.size() < 2) return std::nullopt;
  std::vector<GroupLogs> groups;
  for (const auto& [machine, places] : machines)
    if (auto logs = logs_of_machine(places, levels, has_blocks)) groups.push_back(std::move(*logs));
  const auto found = variation_between_groups(groups, has_blocks);
  if (!found) return std::nullopt;
  return NodeVariation{found->groups, found->share, found->ci95, found->interaction,
                       found->interaction_ci95};
}

}  // namespace prengdl
