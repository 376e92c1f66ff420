// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace prengdl {

/// What a test of `a` against `b` looks for: any difference, values of `a` below those of `b`, or
/// above. Of a correlation or a trend: any, a falling one, a rising one.
enum class Alternative { two_sided, less, greater };

/// Where a statistic lies in its distribution under the null hypothesis: P(T <= t) and P(T >= t).
/// Both contain t itself, so that they add up to more than 1.
struct Tails {
  double at_most = 1;
  double at_least = 1;
};

/// The p of a test. Two-sided it is twice the smaller tail (Fisher's definition, as in R and
/// SciPy), at most 1; so it agrees with the one-sided tests also where ties make the distribution
/// lopsided.
inline double p_value(const Tails& tails, Alternative alternative) {
  switch (alternative) {
    case Alternative::less:
      return std::min(1.0, tails.at_most);
    case Alternative::greater:
      return std::min(1.0, tails.at_least);
    case Alternative::two_sided:
      break;
  }
  return std::min(1.0, 2 * std::min(tails.at_most, tails.at_least));
}

/// The tails of a normal statistic that moves in steps, with the correction for continuity:
/// `above_mean` is t less its mean, `half_step` half the distance between neighbouring values.
/// Without any spread both tails are 1.
Tails normal_tails(double above_mean, double half_step, double spread);

}  // namespace prengdl
