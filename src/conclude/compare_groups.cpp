// SPDX-License-Identifier: Apache-2.0
#include "conclude/compare_groups.h"

#include <algorithm>
#include <map>

#include "base/amounts.h"
#include "stats/group_ratio.h"

namespace prengdl {
namespace {

constexpr std::size_t fewest_cases = 3;  // for an interval over cases that says anything

/// A group names levels of whichever factor has them.
bool is_in(const Comparison& comparison, const std::vector<std::string>& levels) {
  return std::any_of(comparison.cell.begin(), comparison.cell.end(), [&](const auto& part) {
    return std::find(levels.begin(), levels.end(), part.second) != levels.end();
  });
}

using Pair = std::array<std::string, 2>;

void add_group(const std::string& name, const std::vector<const Comparison*>& members,
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
    std::vector<double> ratios;
    for (const auto* one : cases) {
      ratios.push_back(one->estimate.value);
      for (std::size_t i = 0; i < 2; ++i)
        if (one->winner == one->pair[i]) ++group.wins[i];
    }
    const auto mean = ratio_over_cases(ratios);
    group.ratio = mean ? mean->ratio : ratios.front();
    if (mean && cases.size() >= fewest_cases) group.ci95 = mean->ci95;
    groups.push_back(std::move(group));
  }
}

}  // namespace

std::vector<GroupComparison> group_comparisons(const Study& study,
                                               const std::vector<Comparison>& comparisons) {
  std::vector<const Comparison*> counted;
  for (const auto& one : comparisons)
    if (one.verdict != Verdict::not_comparable && one.verdict != Verdict::modelled && one.n > 0)
      counted.push_back(&one);
  std::vector<GroupComparison> groups;
  for (const auto& [name, levels] : study.analysis.groups) {
    std::vector<const Comparison*> members;
    for (const auto* one : counted)
      if (is_in(*one, levels)) members.push_back(one);
    add_group(name, members, groups);
  }
  std::map<CellPattern, bool> cases;
  for (const auto* one : counted) cases[one->cell] = true;
  if (cases.size() > 1) add_group("all", counted, groups);
  return groups;
}

}  // namespace prengdl
