// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"

namespace prengdl {

/// A two-sided p and the way it was computed.
struct RankTest {
  std::string_view test;  // "signed-rank, exact", ...
  double p = 1;
};

/// Wilcoxon's signed-rank test of pairs. Exact with ties (mid-ranks, all 2^n signs by the shift
/// algorithm of Streitberg and Roehmel 1986) up to 200 pairs; zero differences are dropped as
/// Wilcoxon did. Beyond that normal, with corrections for ties and continuity.
Result<RankTest> signed_rank(std::span<const double> a, std::span<const double> b);

/// Vargha and Delaney's A12 (2000): the chance that a value from `a` exceeds one from `b`, ties
/// counting half. 0.5 means no difference.
double a12(std::span<const double> a, std::span<const double> b);

}  // namespace prengdl
