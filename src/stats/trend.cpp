// SPDX-License-Identifier: Apache-2.0
#include "stats/trend.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/ranks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr std::size_t most_points = 5000;

/// Sen's interval: the slopes at both ends of the score that Kendall's test would not reject.
std::optional<std::array<double, 2>> sen_interval(const std::vector<double>& slopes, double n,
                                                  double ties, double confidence) {
  const double variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
  if (!(variance > 0)) return std::nullopt;
  const double reach =
      boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2) * std::sqrt(variance);
  const auto count = static_cast<double>(slopes.size());
  const double low = std::nearbyint((count - reach) / 2) - 1;
  const double high = std::nearbyint((count + reach) / 2);
  if (low < 0 || high > count - 1) return std::nullopt;
  return std::array{slopes[static_cast<std::size_t>(low)], slopes[static_cast<std::size_t>(high)]};
}

double tie_spread(const Ranks& ranks) {
  double spread = 0;
  for (const std::size_t group : ranks.groups) {
    const auto t = static_cast<double>(group);
    spread += t * (t - 1) * (2 * t + 5);
  }
  return spread;
}

}  // namespace

Result<Slope> theil_sen(std::span<const double> x, std::span<const double> y, double confidence) {
  if (x.size() != y.size()) return failure("a slope needs two samples of equal size");
  if (x.size() < 2) return failure("a slope needs at least two points");
  if (x.size() > most_points)
    return failure("a slope over all pairs takes at most 5000 points",
                   "take means of neighbouring points first");
  if (!all_finite(x) || !all_finite(y)) return failure("a slope needs finite values");
  if (!(confidence > 0 && confidence < 1))
    return failure("a confidence is a number between 0 and 1", "say 0.95 for 95 %");
  std::vector<double> slopes;
  slopes.reserve(x.size() * (x.size() - 1) / 2);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i + 1; j < x.size(); ++j)
      if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
  if (slopes.empty()) return failure("points above each other have no slope");
  std::sort(slopes.begin(), slopes.end());
  const std::size_t middle = slopes.size() / 2;
  Slope result;
  result.slope =
      slopes.size() % 2 == 1 ? slopes[middle] : (slopes[middle - 1] + slopes[middle]) / 2;
  result.intercept = median(y) - result.slope * median(x);
  result.interval = sen_interval(slopes, static_cast<double>(x.size()),
                                 tie_spread(ranks_of(x)) + tie_spread(ranks_of(y)), confidence);
  return result;
}

Result<Slope> theil_sen(std::span<const double> values, double confidence) {
  std::vector<double> order(values.size());
  std::iota(order.begin(), order.end(), 0.0);
  return theil_sen(order, values, confidence);
}

}  // namespace prengdl
