// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// The ratio of two geometric means with its 95 % interval and two-sided p, on logarithms.
struct LogRatio {
  double ratio = 1;
  std::array<double, 2> ci95{};
  double p = 1;
  bool paired = false;
  double standard_error = 0;  // of the logarithm of the ratio
  double freedom = 0;         // degrees, of Student's t
};

/// What is known about two samples beyond their values.
struct SampleFacts {
  /// The smallest difference between two values that can be distinguished, in their unit: the
  /// meter's step, or value_step. Its rounding error enters the standard error. 0: it does not
  /// matter.
  double step = 0;
  /// The autocorrelation of successive pairs, from stats/dependence.h: the standard error and the
  /// degrees of freedom are those of effective_n independent pairs.
  double correlation = 0;
  /// Of independent samples, the autocorrelation of `b`; `correlation` is that of `a`.
  double correlation_of_b = 0;
};

/// a[i] and b[i] belong together (the same block): Student's t on the differences of logs. Refuses
/// pairs whose differences are all equal, or vary by less than half a step: without spread there is
/// no test.
Result<LogRatio> paired_log_ratio(std::span<const double> a, std::span<const double> b,
                                  const SampleFacts& facts = {});

/// Independent samples: Welch's t on logs, with Satterthwaite's degrees of freedom. Refuses two
/// samples of which neither has any spread.
Result<LogRatio> unpaired_log_ratio(std::span<const double> a, std::span<const double> b,
                                    const SampleFacts& facts = {});

/// From a difference of mean logs, its standard error and degrees of freedom: what Student's t says
/// of the ratio. Without any error the ratio is exact, and different from 1 or not.
LogRatio log_ratio_of(double difference, double standard_error, double freedom);

/// The interval of the ratio at another confidence than 95 %, e.g. 0.9. Throws outside of 0 to 1.
std::array<double, 2> interval_of(const LogRatio& ratio, double confidence);

/// The natural logarithms. Refuses values that are not above zero, or not finite.
Result<std::vector<double>> logs_of(std::span<const double> values);

/// What Student's t must exceed on either side, e.g. 2.262 for 0.95 and 9 degrees of freedom.
/// Throws on a confidence outside of 0 to 1.
double student_factor(double confidence, double freedom);

/// The two-sided p of a t statistic.
double two_sided_p(double t, double freedom);

}  // namespace prengdl
