// SPDX-License-Identifier: Apache-2.0
#include "campaign/asked_cells.h"

#include <algorithm>

namespace prengdl {

AskedCells::AskedCells(const Study& study, const Design& design, const CellPattern& only) {
  for (const auto& cell : design.cells())
    if (fits(study, only, cell)) cells_.push_back(cell);
}

std::vector<PlannedRun> AskedCells::runs_of(const Design& design) const {
  std::vector<bool> is_asked;
  for (const auto& cell : design.cells())
    is_asked.push_back(std::find(cells_.begin(), cells_.end(), cell) != cells_.end());
  std::vector<PlannedRun> runs;
  for (const auto& one : design.all_runs())
    if (is_asked[one.cell]) runs.push_back(one);
  return runs;
}

}  // namespace prengdl
