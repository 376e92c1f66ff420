// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "audit/input.h"
#include "campaign/result_study.h"
#include "profile/api_cost.h"
#include "store/result.h"

namespace prengdl {

/// A cProfile dump and the cell that it is of.
struct CellProfileCost {
  std::string label;  // "train ncf pytorch"
  Cell cell;          // empty: of none that the study has
  ProfileCost cost;
  std::optional<double> joules;  // mean of the cell's runs, where all of them were measured
};

/// The mean of a cell's counted runs; nothing unless all of them were measured, since modelled
/// energy says no more than the time does.
std::optional<Joules> measured_joules(const ResultStudy& result, const Cell& cell);

/// The profiles that a result keeps of the cells that fit, in the order of the study: with the
/// measured energy of the cell shared out by time, and how much the profiler slowed it down.
std::vector<ProfileCost> profiles_of(const ResultStore& store, const ResultStudy& result,
                                     const CellPattern& where, const ApiTable& table);

/// All cProfile dumps below a result directory, also those of cells without runs. Looks at nothing
/// else, so it may run in parallel with other analyses. Throws an Error that names the file.
std::vector<CellProfileCost> profiles_in(const std::filesystem::path& result, const Study& study);

/// What the audit looks at in a profile, and in those that a result keeps of its cells.
CellProfile calls_of(const Cell& cell, const CallProfile& profile);
std::vector<CellProfile> profiled_calls(const std::filesystem::path& result, const Study& study);

}  // namespace prengdl
