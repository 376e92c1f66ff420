// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "base/error.h"
#include "stats/log_ratio.h"

namespace prengdl {

/// A ratio of geometric means tested against a limit by two one-sided t tests on logs. At most one
/// of them can be below an alpha under 0.5.
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
  double freedom = 1;  // degrees of the test
  double spread_freedom = 1;   // degrees of `spread`
  double freedom_per_run = 1;  // degrees that each further run of both adds to it
  double between = 0;          // sd of log costs between the two occasions; 0: there was one only
};

/// a[i] and b[i] belong to one block: Student's t on differences of logs. Refuses values that are
/// not above zero, fewer than two pairs, and pairs without any spread, of which t knows nothing.
Result<LimitTest> paired_limit_test(std::span<const double> a, std::span<const double> b,
                                    double limit, double alpha);

/// Independent samples of one occasion: Welch's t on logs with Satterthwaite's degrees of freedom.
Result<LimitTest> unpaired_limit_test(std::span<const double> a, std::span<const double> b,
                                      double limit, double alpha);

/// The same where each sample is of an occasion of its own and `between` is the standard deviation
/// of log costs between occasions.
Result<LimitTest> occasions_limit_test(std::span<const double> a, std::span<const double> b,
                                       double limit, double alpha, double between);

/// The ratio of two samples that have a spread and of which each is of an occasion of its own. Both
/// occasions add their variance, so 2 between^2 is added to the squared standard error. It counts
/// as known, so Satterthwaite's degrees of freedom grow with the fourth power of that error.
LogRatio across_occasions(const LogRatio& ratio, double between);

/// With this many runs of each side (pairs) the one-sided test of level alpha will come out with
/// the given power, if the true ratio is the one that was seen. The spread is taken at the upper 80
/// % confidence bound, as Browne advises for figures from a small pilot (Statistics in Medicine 14,
/// 1995), so that the number is rather too large. Nothing if more than `most` were needed: then the
/// ratio is too near to the limit, or the spread between occasions too large, which no run lowers.
std::optional<std::size_t> runs_to_decide(const LimitTest& test, double alpha, double power,
                                          std::size_t most);

}  // namespace prengdl
