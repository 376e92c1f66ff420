// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/api_cost.h"
#include "cli/result_study.h"
#include "store/result.h"

namespace prengdl {

/// The mean of a cell's counted runs; nothing unless all of them were measured, since modelled
/// energy says no more than the time does.
std::optional<Joules> measured_joules(const std::vector<StoredRun>& runs, const Cell& cell);

/// The profiles that a result keeps of the cells that fit, in the order of the study: with the
/// measured energy of the cell shared out by time, and how much the profiler slowed it down.
std::vector<ProfileCost> profiles_of(const ResultStore& store, const ResultStudy& result,
                                     const CellPattern& where, const ApiTable& table);

}  // namespace prengdl
