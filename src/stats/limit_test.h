// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "base/error.h"

namespace prengdl {

/// A ratio of geometric means held against a limit by two one-sided t tests on logs. At most one of
/// them can be below an alpha under 0.5.
struct LimitTest {
  double ratio = 1;
  std::array<double, 2> ci95{};  // two-sided
  double at_least = 0;           // one-sided bounds, each of level 1 - alpha: at_least exceeds the
  double at_most = 0;            // limit exactly when p_above < alpha, and so on
  double p_above = 1;            // small: the ratio is above the limit
  double p_within = 1;           // small: the ratio is at or below the limit
  double excess = 0;             // log of ratio over limit
  double spread = 0;   // sd of a pair's log ratio; of independent samples the root of the sum of
                       // both variances: either way sd^2 / n is the variance of the mean at n each
  double freedom = 1;  // degrees, now
  double freedom_per_run = 1;  // degrees that each further run of both adds
};

/// a[i] and b[i] belong to one block: Student's t on differences of logs. Refuses values that are
/// not above zero, fewer than two pairs, and pairs without any spread, of which t knows nothing.
Result<LimitTest> paired_limit_test(std::span<const double> a, std::span<const double> b,
                                    double limit, double alpha);

/// Independent samples: Welch's t on logs with Satterthwaite's degrees of freedom.
Result<LimitTest> unpaired_limit_test(std::span<const double> a, std::span<const double> b,
                                      double limit, double alpha);

/// With this many runs of each side (pairs) the one-sided test of level alpha will come out with
/// the given power, if the true ratio is the one that was seen. The spread is taken at the upper 80
/// % confidence bound, as Browne advises for figures from a small pilot (Statistics in Medicine 14,
/// 1995), so that the number is rather too large. Nothing if more than `most` were needed: then the
/// ratio is too near to the limit.
std::optional<std::size_t> runs_to_decide(const LimitTest& test, double alpha, double power,
                                          std::size_t most);

}  // namespace prengdl
