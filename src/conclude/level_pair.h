// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conclude/compare_settings.h"
#include "conclude/paired_samples.h"
#include "model/comparison.h"
#include "model/result.h"
#include "model/window.h"

namespace prengdl {

/// Two of the compared levels in one case. What it refers to must outlive it.
class LevelPair {
 public:
  using Runs = std::vector<const StoredRun*>;

  /// `largest_exact_tied`: of the rank-sum test.
  LevelPair(const CompareSettings& settings, const Window& window, const Runs& a, const Runs& b,
            std::size_t largest_exact_tied);

  /// All that these runs alone tell by a measure; what depends on other comparisons (corrected p,
  /// verdict, winner) and the names are left to the caller.
  Comparison compare(const std::string& measure) const;

  TwoSamples samples(const std::string& measure) const;

 private:
  std::optional<double> cost(const Run& run, const std::string& measure) const;
  std::optional<double> watts(const Run& run, const std::string& measure) const;
  std::optional<Quality> quality(const std::string& measure) const;
  LevelFigures figures(const Runs& runs, const std::string& measure) const;
  void estimate(const TwoSamples& samples, Comparison& result) const;
  void decompose(const std::string& measure, Comparison& result) const;
  void rank(const TwoSamples& samples, Comparison& result) const;
  std::string why_not_comparable(const std::string& measure) const;

  const CompareSettings& settings_;
  const Window& window_;
  const Runs& a_;
  const Runs& b_;
  std::size_t largest_exact_tied_;
  std::optional<std::string> per_;
  std::string work_trouble_;
};

}  // namespace prengdl
