// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "stats/correlation.h"
#include "stats/rank_distribution.h"
#include "stats/ranks.h"

namespace prengdl {
namespace {

constexpr std::size_t largest_exact = 100;

/// How many of the numbers seen so far are below another one: Fenwick's tree (1994).
class SeenBelow {
 public:
  explicit SeenBelow(std::size_t largest) : counts_(largest + 1, 0) {}

  void add(std::size_t number) {
    for (std::size_t i = number; i < counts_.size(); i += i & (~i + 1)) ++counts_[i];
  }

  std::int64_t up_to(std::size_t number) const {
    std::int64_t sum = 0;
    for (std::size_t i = number; i > 0; i -= i & (~i + 1)) sum += counts_[i];
    return sum;
  }

 private:
  std::vector<std::int64_t> counts_;
};

struct Score {
  std::int64_t concordant = 0;
  std::int64_t discordant = 0;
};

/// Counts the pairs in n log n steps; those tied in x or y are neither.
Score score_of(const Ranks& x, const Ranks& y) {
  const std::size_t n = x.doubled.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return x.doubled[i] < x.doubled[j]; });
  SeenBelow seen(2 * n);
  Score score;
  std::size_t from = 0;
  for (const std::size_t group : x.groups) {  // equal in x: counted first, seen afterwards
    for (std::size_t i = from; i < from + group; ++i) {
      const std::size_t rank = y.doubled[order[i]];
      score.concordant += seen.up_to(rank - 1);
      score.discordant += static_cast<std::int64_t>(from) - seen.up_to(rank);
    }
    for (std::size_t i = from; i < from + group; ++i) seen.add(y.doubled[order[i]]);
    from += group;
  }
  return score;
}

/// Sums over groups of t equal values that Kendall's variance is made of.
struct TieSums {
  double pairs = 0;    // t (t - 1)
  double triples = 0;  // t (t - 1) (t - 2)
  double spread = 0;   // t (t - 1) (2 t + 5)
};

TieSums tie_sums(const Ranks& ranks) {
  TieSums sums;
  for (const std::size_t group : ranks.groups) {
    const auto t = static_cast<double>(group);
    sums.pairs += t * (t - 1);
    sums.triples += t * (t - 1) * (t - 2);
    sums.spread += t * (t - 1) * (2 * t + 5);
  }
  return sums;
}

/// The variance of concordant less discordant pairs.
double score_variance(const TieSums& x, const TieSums& y, double n) {
  double variance = (n * (n - 1) * (2 * n + 5) - x.spread - y.spread) / 18;
  variance += x.pairs * y.pairs / (2 * n * (n - 1));
  if (n > 2) variance += x.triples * y.triples / (9 * n * (n - 1) * (n - 2));
  return variance;
}

Tails exact_tails(const Score& score, const Ranks& tied) {
  const auto fewer = static_cast<std::size_t>(std::min(score.concordant, score.discordant));
  const auto chances = disorder_chances(tied.groups, fewer);
  const double below = std::accumulate(chances.begin(), chances.end() - 1, 0.0);
  const Tails tails{below + chances.back(), 1 - below};
  return score.concordant <= score.discordant ? tails : Tails{tails.at_least, tails.at_most};
}

}  // namespace

Result<Correlation> kendall(std::span<const double> x, std::span<const double> y,
                            Alternative alternative) {
  const auto ranks = ranks_of_pairs(x, y);
  if (!ranks) return tl::unexpected(ranks.error());
  const auto& [rx, ry] = *ranks;
  const auto score = score_of(rx, ry);
  const auto difference = static_cast<double>(score.concordant - score.discordant);
  const auto n = static_cast<double>(x.size());
  const auto tx = tie_sums(rx);
  const auto ty = tie_sums(ry);
  const double pairs = n * (n - 1);
  Correlation result{"Kendall, exact", 1, 1};
  result.value = std::clamp(
      2 * difference / (std::sqrt(pairs - tx.pairs) * std::sqrt(pairs - ty.pairs)), -1.0, 1.0);
  if (x.size() <= largest_exact && !(rx.tied() && ry.tied())) {
    result.p = p_value(exact_tails(score, rx.tied() ? rx : ry), alternative);
    return result;
  }
  result.test = "Kendall, normal";
  const double spread = std::sqrt(score_variance(tx, ty, n));
  result.p = p_value(normal_tails(difference, 1, spread), alternative);
  return result;
}

Result<Correlation> mann_kendall(std::span<const double> values, Alternative alternative) {
  if (values.size() < 2) return failure("a trend needs at least two values");
  std::vector<double> order(values.size());
  std::iota(order.begin(), order.end(), 0.0);
  auto result = kendall(order, values, alternative);
  if (result)
    result->test =
        result->test == "Kendall, exact" ? "Mann-Kendall, exact" : "Mann-Kendall, normal";
  return result;
}

}  // namespace prengdl
