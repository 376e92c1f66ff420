// SPDX-License-Identifier: Apache-2.0
#include "stats/quantile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stats/ranks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// Between which order statistics a quantile lies: `below` (from 1; 0 is before the first) and how
/// far towards the next one.
struct Place {
  double below = 0;
  double share = 0;
};

/// Types 1 to 3 jump: to the next order statistic, to the mean of both, to the nearest even one.
Place jumping_place(double n, double probability, int type) {
  const double at = type == 3 ? n * probability - 0.5 : n * probability;
  const double below = std::floor(at);
  const bool beyond = at > below;
  if (type == 1) return {below, beyond ? 1.0 : 0.0};
  if (type == 2) return {below, beyond ? 1.0 : 0.5};
  const bool odd = std::fmod(std::abs(below), 2.0) == 1;
  return {below, beyond || odd ? 1.0 : 0.0};
}

/// Types 4 to 9 put the k-th of n order statistics at (k - a) / (n + 1 - a - b).
Place sliding_place(double n, double probability, int type) {
  constexpr std::array<std::array<double, 2>, 6> shapes{
      {{0, 1}, {0.5, 0.5}, {0, 0}, {1, 1}, {1.0 / 3, 1.0 / 3}, {0.375, 0.375}}};
  const auto [a, b] = shapes.at(static_cast<std::size_t>(type - 4));
  const double at = a + probability * (n + 1 - a - b);
  // As R: a place that rounding put just below an order statistic is on it.
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double below = std::floor(at + rounding);
  const double share = at - below;
  return {below, std::abs(share) < rounding ? 0 : share};
}

}  // namespace

Result<double> quantile(std::span<const double> values, double probability, int type) {
  if (values.empty()) return failure("a quantile needs at least one value");
  if (!all_finite(values)) return failure("a quantile needs finite values");
  if (!(probability >= 0 && probability <= 1)) return failure("a probability is from 0 to 1");
  if (type < 1 || type > 9) return failure("there are quantiles of type 1 to 9", "7 is the usual");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const Place place =
      type <= 3 ? jumping_place(n, probability, type) : sliding_place(n, probability, type);
  const auto order_statistic = [&](double k) {
    return sorted[static_cast<std::size_t>(std::clamp(k, 1.0, n)) - 1];
  };
  const double low = order_statistic(place.below);
  const double high = order_statistic(place.below + 1);
  if (place.share == 0 || low == high) return low;
  if (place.share == 1) return high;
  return (1 - place.share) * low + place.share * high;
}

Result<Outliers> mad_outliers(std::span<const double> values, double threshold) {
  if (values.size() < 3) return failure("outliers need at least three values");
  if (!all_finite(values)) return failure("outliers need finite values around them");
  if (!(threshold > 0))
    return failure("the threshold of an outlier is above 0", "3.5 is the usual");
  Outliers outliers;
  outliers.median = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - outliers.median));
  outliers.spread = 1.4826 * median(distances);
  if (outliers.spread == 0) outliers.spread = 1.253314 * mean(distances);
  if (outliers.spread == 0) return outliers;  // all are equal
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double score = (values[i] - outliers.median) / outliers.spread;
    if (std::abs(score) > threshold) outliers.found.push_back({i, values[i], score});
  }
  return outliers;
}

}  // namespace prengdl
