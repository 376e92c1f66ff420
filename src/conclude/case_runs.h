// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// The runs of a case that count (model/counted_runs.h): those of each compared level, in the order
/// of the study's levels.
struct CaseRuns {
  CellPattern cell;  // all factors but the compared one
  std::vector<std::vector<const StoredRun*>> levels;
};

/// In the order in which the study names its cells. `paired`: the runs have blocks; else each run
/// stands for itself, as in imported results. The runs must outlive what is returned.
std::vector<CaseRuns> runs_by_case(const Study& study, const std::vector<StoredRun>& runs,
                                   bool paired);

/// The levels that are compared, in the order of the study. Throws an Error if the study compares
/// nothing.
const std::vector<std::string>& compared_levels(const Study& study);

}  // namespace prengdl
