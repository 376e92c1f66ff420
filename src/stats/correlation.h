// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"
#include "stats/tails.h"

namespace prengdl {

/// A rank correlation with its p, and the way that was computed.
struct Correlation {
  std::string_view test;  // "Spearman, exact", "Kendall, normal", ...
  double value = 0;       // -1 to 1
  double p = 1;
};

/// Spearman's rho (1904): Pearson's correlation of the mid-ranks. The p is exact up to 12 pairs,
/// with ties too (all permutations are counted). Beyond that, without ties, by the Edgeworth series
/// of Best and Roberts (1975, AS 89) up to 1290 pairs, as R does; with ties, or more pairs, by
/// Student's t on n - 2 degrees of freedom. It is never below 2 / n!, the smallest that there is.
Result<Correlation> spearman(std::span<const double> x, std::span<const double> y,
                             Alternative alternative = Alternative::two_sided);

/// Kendall's tau-b (1938, 1945). The p is exact up to 100 pairs where at most one of the two has
/// ties (all orders are counted, as Mann and Whitney's U is); beyond that, or with ties in both,
/// normal with corrections for ties and continuity (Kendall 1970, Rank Correlation Methods).
Result<Correlation> kendall(std::span<const double> x, std::span<const double> y,
                            Alternative alternative = Alternative::two_sided);

/// Mann (1945) and Kendall's test of a trend in values that were taken one after another: Kendall's
/// correlation with their order.
Result<Correlation> mann_kendall(std::span<const double> values,
                                 Alternative alternative = Alternative::two_sided);

}  // namespace prengdl
