// SPDX-License-Identifier: Apache-2.0
#include "analysis/standings.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace prengdl {
namespace {

double ranked_cost(const LevelFigures& figures) { return figures.geomean.value_or(figures.mean); }

/// All that one unit knows of its levels.
struct RankedUnit {
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

std::vector<RankedUnit> ranked_units(const Findings& findings, const std::string& measure) {
  std::vector<RankedUnit> units;
  for (const auto& one : findings.comparisons) {
    if (one.measure != measure || one.n == 0) continue;
    auto unit = std::find_if(units.begin(), units.end(),
                             [&](const RankedUnit& known) { return known.cell == one.cell; });
    if (unit == units.end())
      unit = units.insert(units.end(), RankedUnit{one.cell, one.per, {}, {}});
    for (std::size_t i = 0; i < 2; ++i) unit->costs[one.pair[i]] = ranked_cost(one.levels[i]);
    unit->comparisons.push_back(&one);
  }
  return units;
}

UnitStanding standing_of(const RankedUnit& unit) {
  UnitStanding standing{unit.cell, unit.least(), 0, unit.per, unit.costs.size() - 1, {}};
  standing.cost = unit.costs.at(standing.least);
  for (const auto* one : unit.comparisons) {
    if (one->pair[0] != standing.least && one->pair[1] != standing.least) continue;
    if (one->winner != standing.least)
      standing.not_shown_to_cost_more.push_back(one->pair[one->pair[0] == standing.least ? 1 : 0]);
  }
  return standing;
}

}  // namespace

std::string Standings::least_of(const CellPattern& cell) const {
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const UnitStanding& one) { return one.cell == cell; });
  return unit == units.end() ? "" : unit->least;
}

bool Standings::has_least(const Comparison& one) const {
  const std::string least = least_of(one.cell);
  return least == one.pair[0] || least == one.pair[1];
}

Standings standings(const Findings& findings, const std::string& measure) {
  Standings all;
  std::map<std::string, LevelStanding> levels;
  std::map<std::string, double> logs;  // sums over units
  for (const auto& unit : ranked_units(findings, measure)) {
    all.units.push_back(standing_of(unit));
    const UnitStanding& standing = all.units.back();
    for (const auto& [level, cost] : unit.costs) {
      auto& one = levels[level];
      ++one.units;
      one.least_in += level == standing.least;
      logs[level] += standing.cost > 0 ? std::log(cost / standing.cost) : 0;
    }
    for (const auto* one : unit.comparisons) {
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
    found->second.over_least = std::exp(logs[name] / static_cast<double>(found->second.units));
    all.levels.push_back(found->second);
  }
  std::stable_sort(
      all.levels.begin(), all.levels.end(),
      [](const LevelStanding& a, const LevelStanding& b) { return a.over_least < b.over_least; });
  return all;
}

}  // namespace prengdl
