// SPDX-License-Identifier: Apache-2.0
#include "analysis/unit_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"

namespace prengdl {
namespace {

/// A place in a study: the machine is part of it once results of several are joined.
using Place = std::tuple<std::string, std::size_t, Cell>;

std::vector<const StoredRun*> counted(const std::vector<StoredRun>& runs, bool paired) {
  std::vector<const StoredRun*> good;
  std::map<Place, std::size_t> places;
  for (const auto& run : runs) {
    if (run.is_warmup || run.excluded || run.outcome != Outcome::ok) continue;
    if (!paired) {
      good.push_back(&run);
      continue;
    }
    const auto [at, is_new] = places.try_emplace({run.machine, run.block, run.cell}, good.size());
    if (is_new)
      good.push_back(&run);
    else if (run.attempt >= good[at->second]->attempt)
      good[at->second] = &run;
  }
  return good;
}

}  // namespace

const std::vector<std::string>& compared_levels(const Study& study) {
  const auto index = factor_index(study, study.analysis.compare);
  if (!index)
    throw Error(fmt::format("study {} compares nothing", study.name),
                "write which factor in its file: [analysis] compare = \"framework\"");
  return study.factors[*index].levels;
}

std::vector<UnitRuns> runs_by_unit(const Study& study, const std::vector<StoredRun>& runs,
                                   bool paired) {
  const auto& levels = compared_levels(study);
  const std::size_t compared = *factor_index(study, study.analysis.compare);
  std::map<CellPattern, std::size_t> places;
  std::vector<UnitRuns> units;
  const auto unit_of = [&](const Cell& cell) {
    CellPattern rest;
    for (std::size_t i = 0; i < cell.size(); ++i)
      if (i != compared) rest[study.factors[i].name] = cell[i];
    return rest;
  };
  for (const auto& cell : cells_of(study)) {
    const CellPattern rest = unit_of(cell);
    if (!places.try_emplace(rest, units.size()).second) continue;
    units.push_back({rest, std::vector<std::vector<const StoredRun*>>(levels.size())});
  }
  for (const StoredRun* run : counted(runs, paired)) {
    if (run->cell.size() != study.factors.size()) continue;
    const auto unit = places.find(unit_of(run->cell));
    const auto level = std::find(levels.begin(), levels.end(), run->cell[compared]);
    if (unit == places.end() || level == levels.end()) continue;
    units[unit->second].levels[static_cast<std::size_t>(level - levels.begin())].push_back(run);
  }
  return units;
}

}  // namespace prengdl
