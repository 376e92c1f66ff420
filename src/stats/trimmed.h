// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "base/error.h"

namespace prengdl {

/// The difference of two trimmed means, with its 95 % interval and two-sided p.
struct TrimmedTest {
  double difference = 0;  // of `a` less `b`
  std::array<double, 2> ci95{};
  double freedom = 1;
  double p = 1;
};

/// Yuen's test (1974) of independent samples: trimmed means, winsorised variances, Welch's degrees
/// of freedom. `trim` is the share that goes from each end, rounded down to whole values; 0 is
/// Welch's test. Refuses samples of which fewer than two values are left.
Result<TrimmedTest> yuen(std::span<const double> a, std::span<const double> b, double trim = 0.2);

/// The same of pairs, by the trimmed means of both (Wilcox 2012, Introduction to Robust Estimation
/// and Hypothesis Testing, 5.9.1): their winsorised covariance is taken off. 0 is the paired t.
Result<TrimmedTest> yuen_paired(std::span<const double> a, std::span<const double> b,
                                double trim = 0.2);

}  // namespace prengdl
