// SPDX-License-Identifier: Apache-2.0
#include "conclude/case_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "model/counted_runs.h"

namespace prengdl {

const std::vector<std::string>& compared_levels(const Study& study) {
  const auto index = factor_index(study, study.analysis.compare);
  if (!index)
    throw Error(fmt::format("study {} compares nothing", study.name),
                "Name a factor in its file: [analysis] compare = \"framework\"");
  return study.factors[*index].levels;
}

std::vector<CaseRuns> runs_by_case(const Study& study, const std::vector<StoredRun>& runs,
                                   bool paired) {
  const auto& levels = compared_levels(study);
  const std::size_t compared = *factor_index(study, study.analysis.compare);
  std::map<CellPattern, std::size_t> places;
  std::vector<CaseRuns> cases;
  const auto case_of = [&](const Cell& cell) {
    CellPattern rest;
    for (std::size_t i = 0; i < cell.size(); ++i)
      if (i != compared) rest[study.factors[i].name] = cell[i];
    return rest;
  };
  for (const auto& cell : cells_of(study)) {
    const CellPattern rest = case_of(cell);
    if (!places.try_emplace(rest, cases.size()).second) continue;
    cases.push_back({rest, std::vector<std::vector<const StoredRun*>>(levels.size())});
  }
  for (const StoredRun* run : counted_runs(runs, paired)) {
    if (run->cell.size() != study.factors.size()) continue;
    const auto one_case = places.find(case_of(run->cell));
    const auto level = std::find(levels.begin(), levels.end(), run->cell[compared]);
    if (one_case == places.end() || level == levels.end()) continue;
    cases[one_case->second].levels[static_cast<std::size_t>(level - levels.begin())].push_back(run);
  }
  return cases;
}

}  // namespace prengdl
