// SPDX-License-Identifier: Apache-2.0
#include "model/study.h"

#include <algorithm>

#include "base/shell_words.h"
#include "model/measure.h"

namespace prengdl {

void go_without_meter(AnalysisPlan& analysis) {
  if (analysis.without_meter.empty() || analysis.without_meter == analysis.primary) return;
  if (!is_energy_measure(analysis.primary)) return;
  std::erase(analysis.secondary, analysis.without_meter);
  analysis.secondary.insert(analysis.secondary.begin(), analysis.primary);
  analysis.primary = analysis.without_meter;
}

std::optional<std::size_t> factor_index(const Study& study, const std::string& name) {
  const auto found = std::find_if(study.factors.begin(), study.factors.end(),
                                  [&](const Factor& factor) { return factor.name == name; });
  if (found == study.factors.end()) return std::nullopt;
  return static_cast<std::size_t>(found - study.factors.begin());
}

bool fits(const Study& study, const CellPattern& pattern, const Cell& cell) {
  return std::all_of(pattern.begin(), pattern.end(), [&](const auto& wanted) {
    const auto factor = factor_index(study, wanted.first);
    return factor && *factor < cell.size() && cell[*factor] == wanted.second;
  });
}

std::vector<Cell> cells_of(const Study& study) {
  std::vector<Cell> cells;
  const auto& factors = study.factors;
  if (std::any_of(factors.begin(), factors.end(), [](const Factor& f) { return f.levels.empty(); }))
    return cells;
  std::vector<std::size_t> levels(factors.size(), 0);
  for (;;) {
    Cell cell;
    cell.reserve(factors.size());
    for (std::size_t i = 0; i < factors.size(); ++i) cell.push_back(factors[i].levels[levels[i]]);
    const bool excluded =
        std::any_of(study.exclusions.begin(), study.exclusions.end(),
                    [&](const CellPattern& pattern) { return fits(study, pattern, cell); });
    if (!excluded) cells.push_back(std::move(cell));

    // Count on as an odometer does, the last factor fastest.
    std::size_t wheel = factors.size();
    while (wheel > 0 && ++levels[wheel - 1] == factors[wheel - 1].levels.size())
      levels[--wheel] = 0;
    if (wheel == 0) return cells;
  }
}

std::string name_of(const Study& study, const Cell& cell) {
  if (cell.empty()) return study.name;
  // Quoted as a shell wants it where a level has spaces, so that it can be pasted after --only.
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < cell.size() && i < study.factors.size(); ++i)
    parts.push_back(study.factors[i].name + "=" + cell[i]);
  return shell_line(parts);
}

}  // namespace prengdl
