// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "conclude/compare_settings.h"
#include "conclude/paired_samples.h"
#include "conclude/pairing.h"
#include "conclude/ratio_estimate.h"
#include "conclude/sensor_accuracy.h"
#include "conclude/work.h"
#include "model/comparison.h"
#include "model/result.h"
#include "model/window.h"

namespace prengdl {

/// A comparison before it is judged together with its family: what the runs themselves say, and
/// the values that the judgement needs.
struct PairDraft {
  Comparison comparison;
  TwoSamples samples;
  ValueFacts facts;
  std::optional<SensorAccuracy> sensors;  // of energy
};

/// Two of the compared levels in one case. What it refers to must outlive it.
class LevelPair {
 public:
  using Runs = std::vector<const StoredRun*>;

  /// `largest_exact_tied`: of the rank-sum test.
  LevelPair(const AnalysisPlan& plan, const CompareSettings& settings, const Window& window,
            const std::array<std::string, 2>& levels, const Runs& a, const Runs& b,
            std::size_t largest_exact_tied);

  /// All that these runs alone say by a measure. Estimate, tests, verdict and winner depend on the
  /// other comparisons of the family and are left to conclude_family().
  PairDraft draft(const std::string& measure) const;

 private:
  std::optional<double> cost(const Run& run, const std::string& measure) const;
  std::optional<double> watts(const Run& run, const std::string& measure) const;
  std::optional<Quality> quality(const std::string& measure) const;
  LevelFigures figures(std::size_t place, const TwoSamples& samples,
                       const std::string& measure) const;
  double step(const std::string& measure, const TwoSamples& samples) const;
  void decompose(const std::string& measure, Comparison& result) const;
  void add_caveats(Comparison& result) const;
  std::string machines_apart(const TwoSamples& samples) const;

  const AnalysisPlan& plan_;
  const CompareSettings& settings_;
  const Window& window_;
  const std::array<std::string, 2> levels_;
  const std::array<const Runs*, 2> runs_;
  std::size_t largest_exact_tied_;
  RunOrder order_;
  WorkAgreement work_;
};

}  // namespace prengdl
