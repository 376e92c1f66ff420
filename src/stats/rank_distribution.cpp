// SPDX-License-Identifier: Apache-2.0
#include "stats/rank_distribution.h"

#include <algorithm>
#include <numeric>

#include "stats/gaussian_binomial.h"

namespace prengdl {
namespace {

std::size_t total(std::span<const std::size_t> scores) {
  return std::accumulate(scores.begin(), scores.end(), std::size_t{0});
}

/// The scores in the largest unit that keeps them whole: ranks without ties need not be doubled.
std::size_t unit_of(std::span<const std::size_t> scores) {
  std::size_t unit = 0;
  for (const std::size_t score : scores) unit = std::gcd(unit, score);
  return std::max<std::size_t>(1, unit);
}

/// P(sum of the scores with a plus = s) for s from 0 to `most`.
std::vector<double> plus_sum_chances(std::span<const std::size_t> scores, std::size_t most) {
  std::vector<double> chance(most + 1, 0.0);
  chance[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t score : scores) {
    reached = std::min(most, reached + score);
    for (std::size_t sum = reached + 1; sum-- > 0;)
      chance[sum] = (chance[sum] + (sum >= score ? chance[sum - score] : 0.0)) / 2;
  }
  return chance;
}

/// One value more, which adds a disorder of 0 to `before`, each as likely: sums over a window that
/// slides along. What leaves it is smaller than what stays, up to the middle of the distribution.
std::vector<double> strewn(const std::vector<double>& chance, std::size_t before,
                           std::size_t most) {
  const std::size_t reached = std::min(most, chance.size() - 1 + before);
  std::vector<double> next(reached + 1, 0.0);
  long double window = 0;
  for (std::size_t s = 0; s <= reached; ++s) {
    if (s < chance.size()) window += chance[s];
    if (s > before) window -= chance[s - before - 1];
    next[s] = static_cast<double>(window / static_cast<long double>(before + 1));
  }
  return next;
}

/// From the chances of all values up to t.
Tails lower_tails(const std::vector<double>& chances) {
  const double below = std::accumulate(chances.begin(), chances.end() - 1, 0.0);
  return {below + chances.back(), 1 - below};
}

Tails turned(const Tails& tails) { return {tails.at_least, tails.at_most}; }

/// In how many ways a sum is small: below t, or t itself.
struct Ways {
  double below = 0;
  double at = 0;

  /// Adds the sums of one number from each of two sides, which are so many ways to have 0, 1, ..
  void add(std::span<const double> first, std::span<const double> second, std::size_t t) {
    double second_below = 0;  // ways of the second to stay below t - s
    std::size_t counted = 0;
    for (std::size_t s = std::min(t, first.size() - 1) + 1; s-- > 0;) {
      for (; counted < std::min(second.size(), t - s); ++counted) second_below += second[counted];
      below += first[s] * second_below;
      if (t - s < second.size()) at += first[s] * second[t - s];
    }
  }

  /// Of all choices of m out of so many.
  Tails tails(std::size_t m, std::size_t size) const {
    double all = 1;
    for (std::size_t i = 1; i <= m; ++i)
      all *= static_cast<double>(size - m + i) / static_cast<double>(i);
    return {(below + at) / all, 1 - below / all};
  }
};

/// In how many ways k of the scores, which are sorted, sum to s: up to `most_chosen` and `most`.
class SumCounts {
 public:
  SumCounts(std::span<const std::size_t> scores, std::size_t most_chosen, std::size_t most)
      : chosen_(std::min(most_chosen, scores.size())),
        width_(std::min(most, total(scores)) + 1),
        ways_((chosen_ + 1) * width_, 0.0) {
    ways_[0] = 1;
    std::vector<std::size_t> smallest(1, 0);  // sums of the first scores
    for (const std::size_t score : scores) smallest.push_back(smallest.back() + score);
    for (std::size_t taken = 1; taken <= scores.size(); ++taken)
      for (std::size_t k = std::min(taken, chosen_); k >= 1; --k) {
        const std::size_t score = scores[taken - 1];
        const std::size_t last =
            std::min(width_ - 1, smallest[taken] - smallest[taken - k]);  // the k largest
        double* const here = &ways_[k * width_];
        const double* const before = &ways_[(k - 1) * width_];
        for (std::size_t s = std::max(score, smallest[k]); s <= last; ++s)
          here[s] += before[s - score];
      }
  }

  std::size_t most_chosen() const { return chosen_; }
  std::span<const double> of(std::size_t k) const {
    return std::span(ways_).subspan(k * width_, width_);
  }

 private:
  std::size_t chosen_;
  std::size_t width_;
  std::vector<double> ways_;
};

/// From the smallest: `scores` are sorted, `sum` is not above the mean. The lower and the upper
/// half of the scores are counted apart, which is an eighth of the work, and then put together: k
/// from the lower one, the others from the upper one.
Tails lower_chosen_sum_tails(const std::vector<std::size_t>& scores, std::size_t m,
                             std::size_t sum) {
  const std::size_t half = scores.size() / 2;
  const auto lower_half = std::span(scores).first(half);
  const auto upper_scores = std::span(scores).subspan(half);
  std::vector<std::size_t> upper_half(upper_scores.begin(), upper_scores.end());
  const std::size_t base = upper_half.front();
  for (std::size_t& score : upper_half) score -= base;
  const SumCounts lower(lower_half, m, sum);
  const SumCounts upper(upper_half, m, sum);
  Ways ways;
  for (std::size_t k = 0; k <= lower.most_chosen(); ++k) {
    const std::size_t others = m - k;
    if (others <= upper.most_chosen() && others * base <= sum)
      ways.add(lower.of(k), upper.of(others), sum - others * base);
  }
  return ways.tails(m, scores.size());
}

}  // namespace

Tails signed_rank_tails(std::span<const std::size_t> scores, std::size_t sum) {
  const std::size_t all = total(scores);
  if (2 * sum > all) return turned(signed_rank_tails(scores, all - sum));
  const std::size_t unit = unit_of(scores);
  std::vector<std::size_t> smaller(scores.begin(), scores.end());
  for (std::size_t& score : smaller) score /= unit;
  return lower_tails(plus_sum_chances(smaller, sum / unit));
}

std::vector<double> signed_rank_chances(std::size_t n, std::size_t most) {
  std::vector<std::size_t> scores(n);
  std::iota(scores.begin(), scores.end(), std::size_t{1});
  return plus_sum_chances(scores, most);
}

Tails rank_sum_tails(std::size_t m, std::size_t n, std::size_t u) {
  if (2 * u > m * n) return turned(rank_sum_tails(m, n, m * n - u));
  if (m > n) std::swap(m, n);  // U is distributed alike
  // Halves again, but without ties each is known: k of the lower ranks have a U of their own, and
  // each of the others is above all of the lower ranks that were not chosen.
  const std::size_t lower = (m + n) / 2;
  const std::size_t upper = m + n - lower;
  const auto lower_rows = gaussian_binomials(lower, m);
  std::vector<std::vector<double>> one_more;
  if (upper != lower) one_more = gaussian_binomials(upper, m);
  const auto& upper_rows = upper == lower ? lower_rows : one_more;
  Ways ways;
  for (std::size_t k = 0; k <= m; ++k) {
    const std::size_t others = m - k;
    if (others * (lower - k) <= u)
      ways.add(lower_rows[std::min(k, lower - k)], upper_rows[std::min(others, upper - others)],
               u - others * (lower - k));
  }
  return ways.tails(m, m + n);
}

std::vector<double> rank_sum_chances(std::size_t m, std::size_t n, std::size_t most) {
  auto chances = gaussian_binomial(m, n, most);
  double all = 1;
  for (std::size_t i = 1; i <= m; ++i) all *= static_cast<double>(n + i) / static_cast<double>(i);
  for (double& chance : chances) chance /= all;
  return chances;
}

Tails chosen_sum_tails(std::span<const std::size_t> scores, std::size_t m, std::size_t sum) {
  std::vector<std::size_t> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return {};
  // Fewer are chosen from the smaller sample; the sums of the two add up to the same.
  if (2 * m > sorted.size()) {
    const std::size_t all = total(scores);
    return turned(chosen_sum_tails(scores, sorted.size() - m, all - sum));
  }
  // From the nearer end: turned around, the largest score becomes the smallest.
  const std::size_t smallest = sorted.front();
  const std::size_t largest = sorted.back();
  const bool upper = sum * sorted.size() > total(scores) * m;
  for (std::size_t& score : sorted) score = upper ? largest - score : score - smallest;
  sum = upper ? m * largest - sum : sum - m * smallest;
  if (upper) std::reverse(sorted.begin(), sorted.end());
  const std::size_t unit = unit_of(sorted);
  for (std::size_t& score : sorted) score /= unit;
  const Tails tails = lower_chosen_sum_tails(sorted, m, sum / unit);
  return upper ? turned(tails) : tails;
}

std::vector<double> disorder_chances(std::span<const std::size_t> groups, std::size_t most) {
  // Group after group is strewn into those before it: each time the disorder that it adds is
  // distributed as Mann and Whitney's U.
  std::vector<double> chance(1, 1.0);
  std::size_t before = 0;
  for (const std::size_t group : groups) {
    if (group == 1) {
      chance = strewn(chance, before, most);
      ++before;
      continue;
    }
    const auto added = rank_sum_chances(group, before, std::min(most, group * before));
    const std::size_t reached = std::min(most, chance.size() - 1 + group * before);
    std::vector<double> next(reached + 1, 0.0);
    for (std::size_t i = 0; i < chance.size(); ++i)
      for (std::size_t j = 0; j < added.size() && i + j <= reached; ++j)
        next[i + j] += chance[i] * added[j];
    chance = std::move(next);
    before += group;
  }
  chance.resize(most + 1, 0.0);
  return chance;
}

}  // namespace prengdl
