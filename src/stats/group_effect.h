// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "stats/log_ratio.h"

namespace prengdl {

/// One ratio from those of several machines, and whether these differ.
struct GroupedRatio {
  LogRatio ratio;
  /// That machines with the same ratio are so far apart (F test); nothing if no error within
  /// machines is known.
  std::optional<double> p_differ;
};

/// The mean of the groups' log ratios, with groups as a random effect: a statement on groups like
/// these. The interval is the wider of two: Student's t over groups, and t with the error within
/// groups, which allows for the meter's step and for dependence. p is the larger of the two. There
/// is no pooling after a test: with two groups that test rarely sees a difference, and the pooled
/// interval then held the truth in 87 % of simulated studies. Groups with a standard error of 0
/// have none of their own; if any has none, only t over groups is used. Refuses fewer than two
/// groups and groups that do not differ at all and have no error.
Result<GroupedRatio> ratio_over_groups(std::span<const LogRatio> groups);

/// Logs of costs in one group (a machine): `levels[i]` are those of level i.
struct GroupLogs {
  std::vector<std::vector<double>> levels;
};

/// How much of the variation of logs between runs of a level is between groups. The three shares of
/// groups, of group x level and of what is within groups add up to 1.
struct GroupVariation {
  std::size_t groups = 0;
  double share = 0;  // between groups, on average over the levels
  std::array<double, 2> ci95{};
  double interaction = 0;  // of group x level: groups that change the ratio between levels
  std::array<double, 2> interaction_ci95{};
};

/// Components of variance with levels fixed and groups random (Scheffe 1959, The Analysis of
/// Variance, chapter 8), from the sums of squares of unweighted group means (Thomas and Hultquist
/// 1978, Annals of Statistics 6). Intervals are generalised ones: each sum of squares is divided by
/// draws from its chi-squared distribution, and the shares that follow are a sample of what the
/// shares may be (Weerahandi 1993, JASA 88). The estimate is the median of that sample; the usual
/// estimate by mean squares is too low in most studies of few groups. `in_blocks`: the i-th values
/// of a group's levels belong together. Refuses fewer than two groups or levels, a level without
/// values in a group, and data without replicates or spread.
Result<GroupVariation> variation_between_groups(std::span<const GroupLogs> groups, bool in_blocks);

}  // namespace prengdl
