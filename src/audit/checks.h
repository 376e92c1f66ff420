// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace prengdl {

/// Tests of `audit` on the logs of a cell's values. Where a statistic has no handy distribution its
/// p comes from samples that are drawn once for each n, from a fixed seed, and remembered: normal
/// values and skewed ones (exponential: a fastest time and delays on top), of which the larger p
/// holds. None is then below 1e-4. Series of more than 500 values are examined in 500 parts (steps
/// in the means of the parts, groups among one value of each), or by the limit of the distribution
/// (the farthest and the first value). Any thread may call them.

/// A check alarms below this p, corrected for all that it looks at. So low that all checks together
/// are wrong about at most one clean study in ten (docs/reference/audit.md).
inline constexpr double alarm_p = 0.02;

/// The best split of a series into an earlier and a later part, each of at least two values, by
/// Student's t; p that values without a step show as large a t at any split. Ten runs with a
/// clear step in one of 24 cells are beyond a rank test, whose smallest p there is 0.008.
struct LevelStep {
  std::size_t before = 0;  // values of the earlier part
  double step = 0;         // later mean less earlier mean
  double p = 1;
};
std::optional<LevelStep> level_step(std::span<const double> values);  // from six values on

/// Whether values fall into two groups, each of at least a quarter of them: the gap between
/// neighbours in size, over the range of the wider group. One mode of any shape has its gaps at its
/// ends, where a group would be too small; so skewed values are no alarm.
struct TwoGroups {
  std::size_t lower = 0;  // values in the lower group
  double apart = 0;       // upper mean less lower mean
  double p = 1;
};
std::optional<TwoGroups> two_groups(std::span<const double> values);  // from six values on

/// The value farthest from the median in units of the MAD (Iglewicz and Hoaglin 1993), and p that
/// normal values have one as far out; of others it is still an outlier. A fixed limit of 3.5
/// would accuse one in eight samples of ten normal values.
struct FarthestValue {
  std::size_t index = 0;
  double deviations = 0;  // with sign
  double p = 1;
};
std::optional<FarthestValue> farthest_value(std::span<const double> values);  // from five values on

/// The first value against the others, by how many of their standard deviations it is off.
struct FirstValue {
  double difference = 0;  // first less the mean of the others
  double p = 1;
  double rank = 0;  // of the first among all, from 1; ties share theirs
};
std::optional<FirstValue> first_value(std::span<const double> values);  // from four values on

/// The ranks of the first values of several samples of these sizes: two-sided p, normal, that their
/// sum is as far from what it is when any order is as likely. No shape of values is assumed.
double first_ranks_p(std::span<const double> ranks, std::span<const std::size_t> sizes);

/// One-sided p that harmless values have as short an upper tail, against the lower one: runs above
/// a limit may have been deleted. Tested against normal values; delays make upper tails longer.
std::optional<double> short_upper_tail_p(std::span<const double> values);  // from five values on

/// p that one group of values is split by two as well as these, each of at least a quarter of them.
/// Weaker in one cell than two_groups, which asks for a gap; over many cells it sees modes that
/// overlap.
std::optional<double> two_modes_p(std::span<const double> values);  // from six values on

/// Stouffer's p (1949) of several independent tests that all look the same way.
double combined_p(std::span<const double> p_values);

/// Fisher's exact test of two counts out of their totals, two-sided.
double fisher_exact_p(std::size_t a, std::size_t of_a, std::size_t b, std::size_t of_b);

/// p that the sum of deviations goes with `before` as strongly by chance: values[i] is a deviation
/// from the mean of its group, and is exchanged with others of its group only. By shuffles; beyond
/// 5000 values by the normal distribution.
double association_p(std::span<const double> values, std::span<const double> before,
                     std::span<const std::size_t> group, unsigned shuffles = 1999);

}  // namespace prengdl
