// SPDX-License-Identifier: Apache-2.0
#include "conclude/standings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/measure.h"

namespace prengdl {
namespace {

double ranked_cost(const LevelFigures& figures) { return figures.geomean.value_or(figures.mean); }

/// All that one case knows of its levels.
struct RankedCase {
  CellPattern cell;
  std::optional<std::string> per;
  std::map<std::string, double> costs;
  std::vector<const Comparison*> comparisons;

  std::string least() const {
    return std::min_element(costs.begin(), costs.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
};

std::vector<RankedCase> ranked_cases(const Findings& findings, const std::string& measure) {
  std::vector<RankedCase> cases;
  for (const auto& one : findings.comparisons) {
    if (one.measure != measure || one.n == 0) continue;
    auto one_case = std::find_if(cases.begin(), cases.end(),
                                 [&](const RankedCase& known) { return known.cell == one.cell; });
    if (one_case == cases.end())
      one_case = cases.insert(cases.end(), RankedCase{one.cell, one.per, {}, {}});
    for (std::size_t i = 0; i < 2; ++i) one_case->costs[one.pair[i]] = ranked_cost(one.levels[i]);
    one_case->comparisons.push_back(&one);
  }
  return cases;
}

CaseStanding standing_of(const RankedCase& one_case) {
  CaseStanding standing{one_case.cell, one_case.least(),          0,
                        one_case.per,  one_case.costs.size() - 1, {}};
  standing.cost = one_case.costs.at(standing.least);
  for (const auto* one : one_case.comparisons) {
    if (one->pair[0] != standing.least && one->pair[1] != standing.least) continue;
    if (one->winner != standing.least)
      standing.not_shown_to_cost_more.push_back(one->pair[one->pair[0] == standing.least ? 1 : 0]);
  }
  return standing;
}

}  // namespace

std::string Standings::least_of(const CellPattern& cell) const {
  const auto one_case = std::find_if(cases.begin(), cases.end(),
                                     [&](const CaseStanding& one) { return one.cell == cell; });
  return one_case == cases.end() ? "" : one_case->least;
}

bool Standings::has_least(const Comparison& one) const {
  const std::string least = least_of(one.cell);
  return least == one.pair[0] || least == one.pair[1];
}

std::string headline_measure(const Findings& findings) {
  const auto& families = findings.families;
  const auto primary = std::find_if(families.begin(), families.end(),
                                    [](const Family& family) { return family.is_primary; });
  if (primary == families.end())
    return families.empty() ? measures::seconds : families.front().measure;
  const auto has = [&](const std::string& measure, bool modelled) {
    return std::any_of(
        findings.comparisons.begin(), findings.comparisons.end(), [&](const Comparison& one) {
          return one.measure == measure && one.n > 0 && (one.quality == Quality::model) == modelled;
        });
  };
  const bool needs_time = !has(primary->measure, false) && has(measures::seconds, false);
  return needs_time ? measures::seconds : primary->measure;
}

Standings standings(const Findings& findings, const std::string& measure) {
  Standings all;
  std::map<std::string, LevelStanding> levels;
  std::map<std::string, double> logs;  // sums over cases
  for (const auto& one_case : ranked_cases(findings, measure)) {
    all.cases.push_back(standing_of(one_case));
    const CaseStanding& standing = all.cases.back();
    for (const auto& [level, cost] : one_case.costs) {
      auto& one = levels[level];
      ++one.cases;
      one.least_in += level == standing.least;
      logs[level] += standing.cost > 0 ? std::log(cost / standing.cost) : 0;
    }
    for (const auto* one : one_case.comparisons) {
      ++all.comparisons;
      all.shown += one->winner.has_value();
      for (const auto& level : one->pair)
        ++(!one->winner            ? levels[level].open
           : *one->winner == level ? levels[level].less
                                   : levels[level].more);
    }
  }
  for (const auto& name : findings.levels) {
    const auto found = levels.find(name);
    if (found == levels.end()) continue;
    found->second.level = name;
    found->second.over_least = std::exp(logs[name] / static_cast<double>(found->second.cases));
    all.levels.push_back(found->second);
  }
  std::stable_sort(
      all.levels.begin(), all.levels.end(),
      [](const LevelStanding& a, const LevelStanding& b) { return a.over_least < b.over_least; });
  return all;
}

}  // namespace prengdl
