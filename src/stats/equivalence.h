// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "base/error.h"
#include "stats/log_ratio.h"

namespace prengdl {

/// Whether a ratio of geometric means lies within a margin, by Schuirmann's two one-sided t tests
/// on logs (Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
struct Equivalence {
  double ratio = 1;
  std::array<double, 2> bounds{};    // 1 / (1 + margin) and 1 + margin
  std::array<double, 2> interval{};  // of confidence 1 - 2 alpha: 90 % for an alpha of 0.05
  double p_below = 1;                // small: the ratio is above the lower bound
  double p_above = 1;                // small: the ratio is below the upper bound
  double p = 1;                      // the larger of both, and so of the claim as a whole
  bool equivalent = false;           // p < alpha, which is: the interval lies between the bounds
};

/// From a ratio that has been estimated. A margin of 0.05 is a ratio within [1/1.05, 1.05]. Refuses
/// a margin that is not above zero, an alpha outside of 0 to 0.5, and a ratio without any spread,
/// of which t knows nothing.
Result<Equivalence> equivalence(const LogRatio& ratio, double margin, double alpha = 0.05);

/// a[i] and b[i] belong to one block.
Result<Equivalence> paired_equivalence(std::span<const double> a, std::span<const double> b,
                                       double margin, double alpha = 0.05);

/// Independent samples, after Welch.
Result<Equivalence> unpaired_equivalence(std::span<const double> a, std::span<const double> b,
                                         double margin, double alpha = 0.05);

}  // namespace prengdl
