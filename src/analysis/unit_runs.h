// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// The good runs of a unit: those of each compared level, in the order of the study's levels.
/// Without warm-ups and excluded runs; of a place that was tried several times the last good one.
struct UnitRuns {
  CellPattern cell;  // all factors but the compared one
  std::vector<std::vector<const StoredRun*>> levels;
};

/// In the order in which the study names its cells. `paired`: the runs have blocks; else each run
/// stands for itself, as in imported results. The runs must outlive what is returned.
std::vector<UnitRuns> runs_by_unit(const Study& study, const std::vector<StoredRun>& runs,
                                   bool paired);

/// The levels that are compared, in the order of the study. Throws an Error if the study compares
/// nothing.
const std::vector<std::string>& compared_levels(const Study& study);

}  // namespace prengdl
