// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conclude/case_runs.h"
#include "model/energy.h"
#include "model/measure.h"
#include "model/study.h"

namespace prengdl {

/// Hands the samples of a stored run to a taker, as ResultStore::samples does.
using TakeReading = std::function<void(std::uint16_t meter, const Reading&)>;
using SamplesOf = std::function<void(const std::string& run, const TakeReading&)>;

struct CostToScoreSettings {
  double target = 0.9;
  std::string metric = "accuracy";
  bool lower_is_better = false;
  std::string span = "epoch";
  std::string measure = measures::metered;
  bool paired = true;
  SamplesOf samples;  // empty: energy is added up over the epochs alone
};

/// What a run took from its start until the end of the first epoch that reached the target.
struct CostToScore {
  std::string epoch;
  double seconds = 0;
  std::optional<double> joules;
  bool whole = false;  // from the samples; else the sum of the epochs, without what lies before and
                       // between them
};

/// One of the compared levels. A run that emits the metric within its epochs and never reaches the
/// target is not reached; one that does not emit it is unknown.
struct LevelCostToScore {
  std::string level;
  std::size_t reached = 0;
  std::size_t not_reached = 0;
  std::size_t untold = 0;
  /// Medians over reached and not reached, the latter above all others: nothing where half or more
  /// did not reach it.
  std::optional<double> median_joules;
  std::optional<double> median_seconds;
  std::optional<double> mean_joules;  // of those that reached it
  bool whole = true;                  // of all energies
};

/// The share of pairs of runs in which the first takes less to reach the target; one that does not
/// reach it takes more than one that does, and two that do not count half. Modelled energy has
/// none.
struct CostToScorePair {
  std::array<std::string, 2> pair;
  std::size_t n = 0;
  double first_less = 0;
};

struct CaseCostToScore {
  CellPattern cell;
  std::optional<Quality> quality;
  std::vector<LevelCostToScore> levels;
  std::vector<CostToScorePair> pairs;
};

struct CostsToScore {
  CostToScoreSettings settings;
  std::vector<CaseCostToScore> cases;  // in which any run emits the metric within an epoch
};

/// What one run shows about the target.
struct RunCostToScore {
  bool is_emitted = false;           // the metric, within some epoch
  std::optional<CostToScore> reach;  // nothing: not reached
};
RunCostToScore cost_to_score_of(const StoredRun& run, const CostToScoreSettings& settings);

CostsToScore cost_to_score(const Study& study, const std::vector<CaseRuns>& cases,
                           const CostToScoreSettings& settings);

}  // namespace prengdl
