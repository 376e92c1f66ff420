// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "conclude/case_runs.h"
#include "model/study.h"

namespace prengdl {

/// How energy goes with time over some points: the runs of a cell, or the means of cells.
struct TimeRelation {
  std::size_t n = 0;
  std::optional<double> spearman;
  std::optional<double> spearman_p;  // two-sided, not corrected; of cells' means only
  std::optional<double> pearson;     // of logarithms
  std::optional<double> slope;       // of log energy on log time: 1 if power is the same for all
  std::optional<std::array<double, 2>> slope_ci95;
};

/// Within one cell, over its runs.
struct CellTimeRelation {
  CellPattern cell;  // without the compared factor
  std::string level;
  std::string measure;
  TimeRelation relation;
};

/// Across the levels of one factor, over the cells' means, everything else being fixed: what a
/// study of several models reports. A point is a cell.
struct AcrossTimeRelation {
  std::string factor;  // "model"
  CellPattern fixed;   // "phase" : "train"
  std::string level;   // of the compared factor
  std::string measure;
  TimeRelation relation;
};

struct EnergyTime {
  std::vector<CellTimeRelation> within;
  std::vector<AcrossTimeRelation> across;
  std::vector<std::string> left_out;  // measures whose energy is modelled: a function of time
};

/// Energy against time by each of the measures that is one of energy, within cells of at least
/// three runs and across at least three cells.
EnergyTime energy_against_time(const Study& study, const std::vector<CaseRuns>& cases,
                               const std::vector<std::string>& measures);

}  // namespace prengdl
