// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/log_ratio.h"

namespace prengdl {

/// From so many pairs, or values on each side, on, skewed values can be distinguished from normal
/// ones well enough. With fewer, say so next to a finding.
constexpr std::size_t smallest_to_judge_shape = 10;

/// The skewness of a difference of mean logs, and the standard deviation that this estimate has if
/// the values are normal.
struct MeanSkewness {
  double value = 0;
  double spread = 0;
};

/// Of differences of logs, from pairs. Nothing below ten, or without spread.
std::optional<MeanSkewness> paired_skewness(std::span<const double> differences);

/// Of the logs of independent samples. Nothing below ten on either side, or without spread.
std::optional<MeanSkewness> unpaired_skewness(std::span<const double> a, std::span<const double> b);

/// The p of each case of a family, two-sided, checked against skewed values: Hall's transformation
/// of t (J. R. Stat. Soc. B 54, 1992), which takes skewness out without a bootstrap. A case's
/// skewness is moved up to half the way to the mean of the family, the more the less the cases
/// differ beyond chance. A case without skewness keeps its p.
std::vector<double> skewness_checked_p(std::span<const LogRatio> cases,
                                       std::span<const std::optional<MeanSkewness>> skewness);

/// The same for the p of equivalence within a margin (stats/equivalence.h).
std::vector<double> skewness_checked_equivalence_p(
    std::span<const LogRatio> cases, std::span<const std::optional<MeanSkewness>> skewness,
    double margin);

/// Which findings of a family (p below alpha after Holm's correction) are lost when each p is
/// replaced by the larger of p and checked p.
std::vector<bool> skew_doubts(std::span<const double> p, std::span<const double> checked_p,
                              double alpha);

}  // namespace prengdl
