// SPDX-License-Identifier: Apache-2.0
#include "stats/rank_tests.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace prengdl {
namespace {

/// Twice the mid-ranks, so that they are whole numbers with ties too; in the order of `values`.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i) ranks[order[i]] = from + 1 + to;
    from = to;
  }
  return ranks;
}

constexpr std::size_t largest_exact = 200;

/// P(sum of the positive ranks <= w) over all equally likely signs, w in doubled ranks.
double lower_tail(const std::vector<std::size_t>& ranks, std::size_t w) {
  const std::size_t total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<double> chance(total + 1, 0.0);
  chance[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : ranks) {
    reached += rank;
    for (std::size_t sum = reached + 1; sum-- > 0;)
      chance[sum] = (chance[sum] + (sum >= rank ? chance[sum - rank] : 0.0)) / 2;
  }
  return std::accumulate(chance.begin(), chance.begin() + static_cast<std::ptrdiff_t>(w) + 1, 0.0);
}

}  // namespace

Result<RankTest> signed_rank(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  if (sizes.empty()) return RankTest{"signed-rank, exact", 1};
  const auto ranks = doubled_ranks(sizes);
  std::size_t plus = 0;
  std::size_t total = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    total += ranks[i];
    if (positive[i]) plus += ranks[i];
  }
  const std::size_t smaller = std::min(plus, total - plus);
  if (sizes.size() <= largest_exact)
    return RankTest{"signed-rank, exact", std::min(1.0, 2 * lower_tail(ranks, smaller))};

  // Doubled ranks: mean total / 2, variance the sum of squared ranks / 4 (ties are in it).
  double variance = 0;
  for (const std::size_t rank : ranks)
    variance += static_cast<double>(rank) * static_cast<double>(rank) / 4;
  const double distance = static_cast<double>(total) / 2 - static_cast<double>(smaller);
  const double z = std::max(0.0, distance - 1) / std::sqrt(variance);  // 1/2 a rank is 1 here
  const boost::math::normal normal;
  return RankTest{"signed-rank, normal", 2 * boost::math::cdf(boost::math::complement(normal, z))};
}

double a12(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) throw Error("A12 needs two non-empty samples");
  double wins = 0;
  for (const double x : a)
    for (const double y : b) wins += x > y ? 1.0 : x == y ? 0.5 : 0.0;
  return wins / static_cast<double>(a.size() * b.size());
}

}  // namespace prengdl
