// SPDX-License-Identifier: Apache-2.0
//
// The exact distributions of rank statistics under the null hypothesis. Each is counted from its
// nearer end, by sums of positive numbers or in whole ones, so that the smallest tail has as many
// good digits as the largest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/tails.h"

namespace prengdl {

/// Where `sum` lies among the sums of the scores that got a plus, over all equally likely signs:
/// the shift algorithm of Streitberg and Roehmel (1986), with any whole scores, tied or not.
Tails signed_rank_tails(std::span<const std::size_t> scores, std::size_t sum);

/// P(W = w) of the signed-rank statistic of n values without ties, for w from 0 to `most`.
std::vector<double> signed_rank_chances(std::size_t n, std::size_t most);

/// Where `u` lies in the distribution of Mann and Whitney's U of m and n values without ties.
Tails rank_sum_tails(std::size_t m, std::size_t n, std::size_t u);

/// P(U = u) without ties, for u from 0 to `most`. Throws above 200 and 200 values.
std::vector<double> rank_sum_chances(std::size_t m, std::size_t n, std::size_t most);

/// Where `sum` lies among the sums of m of the scores, over all equally likely choices: the shift
/// algorithm for two samples, with any whole scores. Takes additions in the order of m n (m + n)^2.
Tails chosen_sum_tails(std::span<const std::size_t> scores, std::size_t m, std::size_t sum);

/// P(D = d) of the pairs out of order in a shuffled sequence with groups of equal values, for d
/// from 0 to `most`: Kendall's distribution, with ties in one of the two variables.
std::vector<double> disorder_chances(std::span<const std::size_t> groups, std::size_t most);

}  // namespace prengdl
