// SPDX-License-Identifier: Apache-2.0
#include "stats/rank_tests.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/rank_distribution.h"
#include "stats/ranks.h"

namespace prengdl {

Result<RankTest> signed_rank(std::span<const double> a, std::span<const double> b,
                             Alternative alternative) {
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  if (!all_finite(a) || !all_finite(b)) return failure("a rank test needs finite values");
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  if (sizes.empty()) return RankTest{"signed-rank, exact", 1, 0};
  const auto ranks = ranks_of(sizes).doubled;
  std::size_t plus = 0;
  std::size_t total = 0;
  double squares = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    total += ranks[i];
    squares += static_cast<double>(ranks[i]) * static_cast<double>(ranks[i]);
    if (positive[i]) plus += ranks[i];
  }
  const double statistic = static_cast<double>(plus) / 2;
  if (sizes.size() <= largest_exact_rank_test)
    return RankTest{"signed-rank, exact", p_value(signed_rank_tails(ranks, plus), alternative),
                    statistic};
  // In doubled ranks, of which half a rank is one; the squares have the ties in them.
  const auto tails = normal_tails(static_cast<double>(plus) - static_cast<double>(total) / 2, 1,
                                  std::sqrt(squares) / 2);
  return RankTest{"signed-rank, normal", p_value(tails, alternative), statistic};
}

double a12(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) throw Error("A12 needs two non-empty samples");
  if (!all_finite(a) || !all_finite(b)) throw Error("A12 needs finite values");
  std::vector<double> sorted(b.begin(), b.end());
  std::sort(sorted.begin(), sorted.end());
  std::size_t halves = 0;  // two for a win, one for a tie
  for (const double x : a) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), x);
    halves += static_cast<std::size_t>(2 * (first - sorted.begin()) + (last - first));
  }
  return static_cast<double>(halves) / 2 / static_cast<double>(a.size() * b.size());
}

}  // namespace prengdl
