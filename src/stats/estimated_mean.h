// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// An estimate that scatters: its variance (of the estimate, not of the values) and how many
/// degrees of freedom that variance has.
struct Scattered {
  double value = 0;
  double variance = 0;
  double freedom = 1;
};

/// The mean of a sample. Refuses fewer than two values.
Result<Scattered> scattered_mean(std::span<const double> values);

/// a + factor x b of two independent estimates; degrees of freedom after Satterthwaite (1946).
Scattered sum_of(const Scattered& a, const Scattered& b, double factor = 1);

/// From `from` to `to`, or without an end.
struct Stretch {
  double from = 0;
  std::optional<double> to;
};

/// Fieller's set (1954) for the ratio of two independent estimates, as far as it is not negative:
/// all ratios r >= 0 for which numerator - r x denominator is not distinguished from 0 by Student's
/// t at this confidence. It is one stretch where the denominator is distinguished from 0; it may
/// lack an end, consist of two stretches or hold every r where it is not; it is empty where no r >=
/// 0 will do. The degrees of freedom are Satterthwaite's at the ratio of the estimates, or the
/// smaller ones of the two where that is negative.
std::vector<Stretch> fieller_set(const Scattered& numerator, const Scattered& denominator,
                                 double confidence = 0.95);

}  // namespace prengdl
