// SPDX-License-Identifier: Apache-2.0
#include "stats/effect_size.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "stats/rank_tests.h"
#include "stats/ranks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// Wins less losses: of each value of `a` against all of `b`, the other way about, and how many
/// comparisons were decided.
struct Wins {
  std::vector<double> of_a;
  std::vector<double> of_b;  // in the view of `a`
  double decided = 0;
};

/// How many of the sorted values are below and above x.
std::array<double, 2> below_and_above(const std::vector<double>& sorted, double x) {
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), x);
  return {static_cast<double>(first - sorted.begin()), static_cast<double>(sorted.end() - last)};
}

Wins count_wins(std::span<const double> a, std::span<const double> b) {
  std::vector<double> sorted_a(a.begin(), a.end()), sorted_b(b.begin(), b.end());
  std::sort(sorted_a.begin(), sorted_a.end());
  std::sort(sorted_b.begin(), sorted_b.end());
  Wins wins;
  for (const double x : a) {
    const auto [below, above] = below_and_above(sorted_b, x);
    wins.of_a.push_back(below - above);
    wins.decided += below + above;
  }
  for (const double y : b) {
    const auto [below, above] = below_and_above(sorted_a, y);
    wins.of_b.push_back(above - below);
  }
  return wins;
}

/// The variance of means about delta, from sums over `others` comparisons each.
double variance_of_means(const std::vector<double>& sums, double others, double delta) {
  double squares = 0;
  for (const double sum : sums) squares += (sum / others - delta) * (sum / others - delta);
  return squares / static_cast<double>(sums.size() - 1);
}

/// Cliff's consistent estimate: that without bias can be negative.
double variance_of_delta(const Wins& wins, double delta) {
  const auto m = static_cast<double>(wins.of_a.size());
  const auto n = static_cast<double>(wins.of_b.size());
  const double single = (wins.decided - m * n * delta * delta) / ((m - 1) * (n - 1));
  return ((n - 1) * variance_of_means(wins.of_a, n, delta) +
          (m - 1) * variance_of_means(wins.of_b, m, delta) + single) /
         (m * n);
}

std::array<double, 2> interval_of(const Wins& wins, double delta, double confidence) {
  const auto m = static_cast<double>(wins.of_a.size());
  const auto n = static_cast<double>(wins.of_b.size());
  if (std::abs(delta) == 1) {
    const double z = boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2);
    const double fewer = std::min(m, n);
    const double end = (fewer - z * z) / (fewer + z * z);
    return delta > 0 ? std::array{end, 1.0} : std::array{-1.0, -end};
  }
  const double t = student_quantile(0.5 + confidence / 2, m + n - 2);
  const double reach = t * t * variance_of_delta(wins, delta);
  const double room = 1 - delta * delta;
  const double half = std::sqrt(reach * (room * room + reach));
  return {(delta * room - half) / (room + reach), (delta * room + half) / (room + reach)};
}

}  // namespace

Result<EffectSize> effect_size(std::span<const double> a, std::span<const double> b,
                               double confidence) {
  if (a.empty() || b.empty()) return failure("an effect size needs two non-empty samples");
  if (!all_finite(a) || !all_finite(b)) return failure("an effect size needs finite values");
  if (!(confidence > 0 && confidence < 1))
    return failure("a confidence is a number between 0 and 1", "say 0.95 for 95 %");
  EffectSize effect;
  effect.a12 = a12(a, b);
  effect.delta = 2 * effect.a12 - 1;
  if (a.size() < 2 || b.size() < 2) return effect;
  const auto [low, high] = interval_of(count_wins(a, b), effect.delta, confidence);
  effect.delta_interval = {low, high};
  effect.a12_interval = {(1 + low) / 2, (1 + high) / 2};
  return effect;
}

}  // namespace prengdl
