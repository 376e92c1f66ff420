// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conclude/paired_samples.h"
#include "model/comparison.h"
#include "stats/log_ratio.h"
#include "stats/shape.h"

namespace prengdl {

/// How a ratio is estimated and tested; the two belong together.
enum class Estimator {
  log_t,    // ratio of geometric means, Student's t on logarithms
  rank,     // Hodges and Lehmann's ratio, Wilcoxon's tests
  trimmed,  // ratio of trimmed means of logarithms, Yuen's test
};

/// What is known about the values besides themselves.
struct ValueFacts {
  bool is_paired = false;
  SampleFacts sample{};                  // the meter's step, and how runs depend on each other
  std::size_t largest_exact_tied = 100;  // of the rank-sum test
};

/// The geometric mean of each level over the other, with what Student's t on logarithms knows: its
/// standard error allows for dependence and the meter's step. Where several machines measured both
/// levels, it is that of the mean over machines like these. Refuses values that have no logarithm,
/// a single value, and values that do not differ beyond the step.
Result<LogRatio> log_ratio_of_samples(const TwoSamples& samples, const ValueFacts& facts);

/// By trimmed means. Refuses as above.
Result<LogRatio> trimmed_ratio_of_samples(const TwoSamples& samples, const ValueFacts& facts);

/// The rank test with its own ratio; nothing where it cannot be made.
std::optional<RankFigures> rank_figures(const TwoSamples& samples, const ValueFacts& facts);

/// The larger p of the two one-sided rank tests against the ends of the margin.
std::optional<double> rank_equivalence_p(const TwoSamples& samples, const ValueFacts& facts,
                                         double margin);

/// The values in the order of time, as logarithms, for judging how they depend on each other: the
/// differences of pairs, or each level by itself; each machine apart. Empty if a value has no
/// logarithm.
struct TimeSeries {
  std::vector<std::vector<double>> a;  // or differences
  std::vector<std::vector<double>> b;  // empty if paired
};
TimeSeries time_series(const TwoSamples& samples, bool is_paired);

/// How skewed the difference of mean logarithms is; nothing if there are too few values to judge.
std::optional<MeanSkewness> skewness_of(const TwoSamples& samples, bool is_paired);

/// Whether the ratio differs between the machines that measured both levels: the p of an F test,
/// nothing if there is one machine, or a single run on each.
std::optional<double> p_machines_differ(const TwoSamples& samples, const ValueFacts& facts);

/// The ratio alone, of geometric means; nothing if a value has no logarithm.
std::optional<double> plain_ratio(const TwoSamples& samples);

/// One for each machine that measured both levels; empty if there is only one. A machine with a
/// single run of each level has the error of all others together.
std::vector<MachineRatio> ratios_by_machine(const TwoSamples& samples, const ValueFacts& facts);

}  // namespace prengdl
