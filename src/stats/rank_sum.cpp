// SPDX-License-Identifier: Apache-2.0
#include "stats/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/rank_distribution.h"
#include "stats/ranks.h"

namespace prengdl {
Result<RankTest> rank_sum(std::span<const double> a, std::span<const double> b,
                          Alternative alternative, std::size_t largest_exact_tied) {
  if (a.empty() || b.empty()) return failure("a rank-sum test needs two non-empty samples");
  if (!all_finite(a) || !all_finite(b)) return failure("a rank test needs finite values");
  std::vector<double> both(a.begin(), a.end());
  both.insert(both.end(), b.begin(), b.end());
  const auto ranks = ranks_of(both);
  const auto own = std::span(ranks.doubled).first(a.size());
  const std::size_t sum = std::accumulate(own.begin(), own.end(), std::size_t{0});
  const std::size_t doubled_u = sum - a.size() * (a.size() + 1);

  RankTest result{"rank-sum, exact", 1, static_cast<double>(doubled_u) / 2};
  const std::size_t larger = std::max(a.size(), b.size());
  Tails tails;
  if (!ranks.tied() && larger <= largest_exact_rank_test) {
    tails = rank_sum_tails(a.size(), b.size(), doubled_u / 2);
  } else if (larger <= largest_exact_tied) {
    tails = chosen_sum_tails(ranks.doubled, a.size(), sum);
  } else {
    result.test = "rank-sum, normal";
    const auto m = static_cast<double>(a.size());
    const auto n = static_cast<double>(b.size());
    const double all = m + n;
    // In doubled ranks, of which half a rank is one.
    const double variance = m * n / 3 * (all + 1 - ranks.tie_cubes() / (all * (all - 1)));
    tails = normal_tails(static_cast<double>(sum) - m * (all + 1), 1, std::sqrt(variance));
  }
  result.p = p_value(tails, alternative);
  return result;
}

}  // namespace prengdl
