// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "stats/rank_tests.h"

namespace prengdl {

/// Whether several groups differ at all. The p is of the chi-squared distribution that the
/// statistic nears with more values; with five or fewer values a group it is rough.
struct GroupsTest {
  std::string_view test;  // "Kruskal-Wallis, chi-squared", "Friedman, chi-squared"
  double statistic = 0;
  double freedom = 0;
  double p = 1;
};

/// Kruskal and Wallis' H (1952) of independent groups, corrected for ties.
Result<GroupsTest> kruskal_wallis(std::span<const std::vector<double>> groups);

/// Friedman's test (1937) of groups whose i-th values belong to one block, corrected for ties
/// within blocks.
Result<GroupsTest> friedman(std::span<const std::vector<double>> groups);

/// Two of the groups against each other.
struct PairTest {
  std::size_t first = 0;
  std::size_t second = 0;
  RankTest rank;
  double p_corrected = 1;  // Holm's, over all pairs
};

/// All pairs of independent groups by the two-sided rank-sum test.
Result<std::vector<PairTest>> rank_sum_pairs(std::span<const std::vector<double>> groups);

/// All pairs of groups in blocks by the two-sided signed-rank test.
Result<std::vector<PairTest>> signed_rank_pairs(std::span<const std::vector<double>> groups);

}  // namespace prengdl
