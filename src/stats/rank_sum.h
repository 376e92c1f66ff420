// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/error.h"
#include "stats/rank_tests.h"

namespace prengdl {

/// The rank-sum test of two independent samples by Wilcoxon (1945), Mann and Whitney (1947). Exact
/// up to 200 values on each side; with ties (mid-ranks, all choices by the shift algorithm) up to
/// 100, or as many as are asked for: its work grows with the fourth power. Beyond that normal, with
/// corrections for ties and continuity (Lehmann 1975).
Result<RankTest> rank_sum(std::span<const double> a, std::span<const double> b,
                          Alternative alternative = Alternative::two_sided,
                          std::size_t largest_exact_tied = 100);

}  // namespace prengdl
