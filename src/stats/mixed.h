// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "stats/anova.h"
#include "stats/log_ratio.h"

namespace prengdl {

/// What the groups of one grouping (machines, blocks) or the runs within them contribute.
struct VarianceComponent {
  std::string name;          // of the grouping; "run" for what is left
  double variance = 0;       // of logs
  double share = 0;          // of the sum of all components
  bool set_to_zero = false;  // it would have come out negative
};

/// A level of a fixed factor, as a geometric mean over all levels of the others.
struct LevelMean {
  double value = 0;
  std::array<double, 2> interval{};
  double standard_error = 0;  // of the logarithm
  double freedom = 0;         // Satterthwaite's (1946)
};

struct LevelRatio {
  std::size_t a = 0;  // levels
  std::size_t b = 0;
  LogRatio ratio;                    // a over b, with p and 95 % interval
  std::array<double, 2> interval{};  // at the confidence asked for
};

struct FixedFactor {
  std::string name;
  std::size_t stratum = 0;  // index into `components`, the coarsest first
  std::vector<LevelMean> means;
  std::vector<LevelRatio> ratios;  // each pair of levels; none if the factor was not randomised
};

struct FixedTest {
  std::string name;
  double freedom = 0;
  double f = 0;
  double error_freedom = 0;
  double p = 1;
};

/// A linear model of logs: factors and their interactions fixed, groupings random.
struct MixedModel {
  double mean = 0;  // geometric
  double confidence = 0.95;
  std::vector<VarianceComponent> components;  // coarse to fine, runs last
  std::vector<FixedFactor> factors;
  std::vector<FixedTest> tests;  // of each term
};

struct MixedOptions {
  std::size_t order = 2;  // the largest interaction among the fixed terms; the rest is error
  double confidence = 0.95;
};

/// Restricted maximum likelihood for balanced data, in closed form: each stratum's mean square
/// estimates its own sum of components, and where a finer one exceeds a coarser one, which would
/// make a component negative, both are pooled, that component is zero and the model is that without
/// it (Thompson 1962). Degrees of freedom are those of the stratum, exact where nothing was pooled.
/// Intervals of a ratio speak of these machines' and blocks' like. Groupings with a single group
/// (one machine) are left out: there is nothing to compare. Refuses unbalanced data, groups of
/// unequal size, a grouping whose every degree of freedom is used up by factors, and one that
/// leaves runs without any error. Factors that were not randomised get means, and neither test nor
/// ratio.
Result<MixedModel> mixed_model(const FactorialData& data, const MixedOptions& options = {});

}  // namespace prengdl
