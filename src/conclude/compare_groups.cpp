// SPDX-License-Identifier: Apache-2.0
#include "conclude/compare_groups.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/clustered_ratio.h"
#include "stats/group_ratio.h"

namespace prengdl {
namespace {

/// A group names levels of whichever factor has them.
bool is_in(const Comparison& comparison, const std::vector<std::string>& levels) {
  return std::any_of(comparison.cell.begin(), comparison.cell.end(), [&](const auto& part) {
    return std::find(levels.begin(), levels.end(), part.second) != levels.end();
  });
}

using Pair = std::array<std::string, 2>;

/// Fixed cases, each on its machines: what is uncertain is the ratio of each, from its runs. Cases
/// weigh the same, however many machines measured them.
Ratio of_these_cases(const std::vector<const Comparison*>& cases) {
  std::vector<LogRatio> ratios;
  std::vector<double> weights;
  bool has_errors = true;
  const auto add = [&](double value, const std::optional<double>& error,
                       const std::optional<double>& freedom, double weight) {
    LogRatio ratio;
    ratio.ratio = value;
    ratio.standard_error = error.value_or(0);
    ratio.freedom = freedom.value_or(1);
    ratios.push_back(ratio);
    weights.push_back(weight);
    has_errors = has_errors && error;
  };
  for (const auto* one : cases) {
    const auto& machines = one->by_machine;
    for (const auto& machine : machines)
      add(machine.ratio, machine.standard_error, machine.freedom,
          1 / static_cast<double>(machines.size()));
    if (machines.empty())
      add(one->estimate->value, one->estimate->standard_error, one->estimate->freedom, 1);
  }
  const auto mean = ratio_of_these_cases(ratios, weights);
  if (!mean) return Ratio{cases.front()->estimate->value, {}, {}};
  if (!has_errors) return Ratio{mean->ratio, {}, {}};
  return Ratio{mean->ratio, mean->ci95, mean->p, {}, mean->standard_error, mean->freedom};
}

/// Each case on each machine, with the level of the factor that the study generalises over.
std::vector<ClusteredCase> entries_of(const std::vector<const Comparison*>& cases,
                                      const std::string& over) {
  std::vector<ClusteredCase> entries;
  std::map<std::string, std::size_t> clusters;  // numbered in order of appearance
  std::map<std::string, std::size_t> machines;
  const auto add = [&](double ratio, const std::string& cluster, const std::string& machine) {
    entries.push_back({std::log(ratio),
                       clusters.try_emplace(cluster, clusters.size()).first->second,
                       machines.try_emplace(machine, machines.size()).first->second});
  };
  for (const auto* one : cases) {
    const auto cluster = one->cell.find(over);
    const std::string name = cluster == one->cell.end() ? "" : cluster->second;
    if (one->by_machine.empty()) add(one->estimate->value, name, "");
    for (const auto& machine : one->by_machine) add(machine.ratio, name, machine.machine);
  }
  return entries;
}

void generalise(const std::vector<const Comparison*>& cases, const std::string& over,
                GroupComparison& group) {
  if (over.empty()) {
    group.why_no_generalisation = "the study names no factor to generalise over (`over`)";
    return;
  }
  const auto ratio = clustered_ratio(entries_of(cases, over));
  if (!ratio) {
    group.why_no_generalisation = ratio.error().what();
    return;
  }
  group.cases_like_these =
      CasesLikeThese{ratio->ratio, ratio->ci95, ratio->prediction95, ratio->tau, ratio->clusters};
}

void add_group(const std::string& name, const std::string& over,
               const std::vector<const Comparison*>& members,
               std::vector<GroupComparison>& groups) {
  std::vector<std::pair<std::string, Pair>> order;  // as the comparisons come
  std::map<std::pair<std::string, Pair>, std::vector<const Comparison*>> sorted;
  for (const auto* one : members) {
    const std::pair key(one->measure, one->pair);
    if (!sorted.contains(key)) order.push_back(key);
    sorted[key].push_back(one);
  }
  for (const auto& key : order) {
    const auto& cases = sorted[key];
    GroupComparison group;
    group.group = name;
    group.measure = key.first;
    group.pair = key.second;
    group.cases = cases.size();
    for (const auto* one : cases)
      for (std::size_t i = 0; i < 2; ++i)
        if (one->winner == one->pair[i]) ++group.wins[i];
    group.these_cases = of_these_cases(cases);
    generalise(cases, over, group);
    groups.push_back(std::move(group));
  }
}

}  // namespace

std::vector<GroupComparison> group_comparisons(const Study& study,
                                               const std::vector<Comparison>& comparisons) {
  std::vector<const Comparison*> counted;
  for (const auto& one : comparisons)
    if (one.verdict != Verdict::not_comparable && one.verdict != Verdict::modelled && one.estimate)
      counted.push_back(&one);
  std::vector<GroupComparison> groups;
  const std::string& over = study.analysis.over;
  for (const auto& [name, levels] : study.analysis.groups) {
    std::vector<const Comparison*> members;
    for (const auto* one : counted)
      if (is_in(*one, levels)) members.push_back(one);
    add_group(name, over, members, groups);
  }
  std::map<CellPattern, bool> cases;
  for (const auto* one : counted) cases[one->cell] = true;
  if (cases.size() > 1) add_group("all", over, counted, groups);
  return groups;
}

}  // namespace prengdl
