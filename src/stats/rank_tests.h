// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.h"
#include "stats/tails.h"

namespace prengdl {

/// A p and the way it was computed.
struct RankTest {
  std::string_view test;  // "signed-rank, exact", "rank-sum, normal", ...
  double p = 1;
  double statistic = 0;  // the sum of positive ranks, or Mann and Whitney's U of `a`
};

/// Up to so many pairs, or values on each side, the rank tests are exact.
constexpr std::size_t largest_exact_rank_test = 200;

/// Wilcoxon's signed-rank test of pairs (1945). Exact with ties (mid-ranks, all 2^n signs by the
/// shift algorithm of Streitberg and Roehmel 1986) up to 200 pairs; zero differences are dropped as
/// Wilcoxon did. Beyond that normal, with corrections for ties and continuity.
Result<RankTest> signed_rank(std::span<const double> a, std::span<const double> b,
                             Alternative alternative = Alternative::two_sided);

/// Vargha and Delaney's A12 (2000): the chance that a value from `a` exceeds one from `b`, ties
/// counting half. 0.5 means no difference.
double a12(std::span<const double> a, std::span<const double> b);

}  // namespace prengdl
