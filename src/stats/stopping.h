// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"
#include "stats/t_boundary.h"

namespace prengdl {

/// A ratio of geometric means of pairs with an interval that may be looked at as often as the plan
/// says: all intervals of a plan together hold the true ratio with probability 1 - alpha, so the
/// one at hand when a study stops does too, whatever made it stop.
struct SequenceInterval {
  double ratio = 1;
  std::array<double, 2> interval{};
  double alpha = 0.05;
  double nominal = 0.05;  // the level at which a fixed n would give the same interval
  std::size_t n = 0;
  LookPlan plan;
};

/// Repeated confidence interval (Jennison and Turnbull 1984, 1989) of the mean of log differences
/// from Student's t. Exact where these are normal. Refuses a number of values that is no look of
/// the plan, and values without any spread, of which Student's t knows nothing.
Result<SequenceInterval> log_ratio_sequence(std::span<const double> log_differences,
                                            const LookPlan& plan, double alpha);

/// The smallest alpha at which the interval above excludes a ratio of 1: a p value that holds at
/// whichever look a study stopped, so Holm's correction may be applied to it. Takes some
/// milliseconds for a hundred looks.
Result<double> sequence_p(std::span<const double> log_differences, const LookPlan& plan);

/// log(a[i] / b[i]) of pairs. Refuses unequal sizes and values that are not above zero.
Result<std::vector<double>> log_differences(std::span<const double> a, std::span<const double> b);

}  // namespace prengdl
