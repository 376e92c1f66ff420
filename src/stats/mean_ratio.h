// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/error.h"

namespace prengdl {

/// The ratio of two arithmetic means with Fieller's interval (Journal of the Royal Statistical
/// Society B 16, 1954): all ratios r for which mean(a) - r mean(b) cannot be distinguished from
/// zero by Student's t. For what adds up over runs, as joules and seconds do; costs that are
/// compared as such have log_ratio.h.
struct MeanRatio {
  double ratio = 1;
  std::array<double, 2> interval{};  // not below zero
  double confidence = 0.95;
  double freedom = 0;  // degrees, of Student's t
};

/// a[i] and b[i] belong together. Refuses fewer than two pairs, means that are not above zero, and
/// a second mean that cannot be distinguished from zero, for which there is no interval.
Result<MeanRatio> paired_mean_ratio(std::span<const double> a, std::span<const double> b,
                                    double confidence = 0.95);

/// Independent samples with variances of their own; Satterthwaite's degrees of freedom at the ratio
/// that was seen.
Result<MeanRatio> unpaired_mean_ratio(std::span<const double> a, std::span<const double> b,
                                      double confidence = 0.95);

}  // namespace prengdl
