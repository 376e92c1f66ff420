// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conclude/case_runs.h"
#include "conclude/score_metrics.h"
#include "model/measure.h"
#include "model/meter_info.h"
#include "model/study.h"

namespace prengdl {

struct ScoreSettings {
  std::string measure = measures::metered;  // of the cost; `seconds` where energy is only modelled
  std::string metric;            // none: of each case the first that score_metrics() knows
  bool lower_is_better = false;  // of the metric that is named: a loss
  bool paired = true;
};

/// One of the compared levels: what it took and what it reached.
struct LevelScore {
  std::string level;
  std::size_t n = 0;  // runs that have both
  double cost = 0;    // means over them, in joules or seconds
  double metric = 0;
  bool on_front = false;  // no other level takes at most as much and reaches at least as much
};

/// The share of pairs of runs in which one costs less and is at least as good.
struct Dominance {
  std::array<std::string, 2> pair;
  bool paired = false;
  std::size_t n = 0;  // pairs of runs: of a block, or each with each
  double first = 0;   // share in which the first dominates; the rest is a trade-off
  double second = 0;
};

struct CaseScores {
  CellPattern cell;
  std::string metric;
  bool lower_is_better = false;
  std::optional<Quality> quality;
  std::vector<LevelScore> levels;  // those with any run that has both figures
  /// Modelled energy has neither a front nor dominance.
  std::vector<Dominance> pairs;
  std::string reason;  // why there is no front, in words
};

struct Scores {
  ScoreSettings settings;
  std::vector<CaseScores> cases;
  std::vector<std::string> metrics;  // that the runs emitted, by name

  /// The metric of all cases, where they are judged by the same.
  std::optional<std::string> only_metric() const;
};

/// The cost of a run (of the study's window) against its final metric.
Scores cost_against_score(const Study& study, const std::vector<CaseRuns>& cases,
                          const ScoreSettings& settings);

}  // namespace prengdl
