// SPDX-License-Identifier: Apache-2.0
#include "stats/estimated_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The parts of [0, inf) among stretches that may begin below 0.
std::vector<Stretch> not_negative(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> kept;
  for (const auto& one : stretches)
    if (!one.to || *one.to >= 0) kept.push_back({std::max(0.0, one.from), one.to});
  return kept;
}

}  // namespace

Result<Scattered> scattered_mean(std::span<const double> values) {
  if (values.size() < 2) return failure("how far a mean scatters takes at least two values");
  const double sd = standard_deviation(values);
  const auto n = static_cast<double>(values.size());
  return Scattered{mean(values), sd * sd / n, n - 1};
}

Scattered sum_of(const Scattered& a, const Scattered& b, double factor) {
  const double of_b = factor * factor * b.variance;
  Scattered sum{a.value + factor * b.value, a.variance + of_b, std::min(a.freedom, b.freedom)};
  if (sum.variance > 0)
    sum.freedom = sum.variance * sum.variance /
                  (a.variance * a.variance / a.freedom + of_b * of_b / b.freedom);
  return sum;
}

std::vector<Stretch> fieller_set(const Scattered& numerator, const Scattered& denominator,
                                 double confidence) {
  const double n = numerator.value;
  const double d = denominator.value;
  const double estimate = d == 0 ? -1 : n / d;
  const double freedom = estimate >= 0 ? sum_of(numerator, denominator, -estimate).freedom
                                       : std::min(numerator.freedom, denominator.freedom);
  const double t = student_factor(confidence, freedom);
  // (n - r d)^2 <= t^2 (var n + r^2 var d), written as a r^2 - 2 b r + c <= 0.
  const double a = d * d - t * t * denominator.variance;
  const double b = n * d;
  const double c = n * n - t * t * numerator.variance;
  if (a == 0) {
    if (b == 0) return c <= 0 ? std::vector<Stretch>{{0, {}}} : std::vector<Stretch>{};
    const double root = c / (2 * b);
    return b > 0 ? not_negative({{root, {}}}) : not_negative({{-infinity, root}});
  }
  const double under_root = b * b - a * c;
  if (under_root < 0) return a < 0 ? std::vector<Stretch>{{0, {}}} : std::vector<Stretch>{};
  // The root that does not cancel first, the other one from their product.
  const double far = b + std::copysign(std::sqrt(under_root), b);
  const double one = far / a;
  const double other = far == 0 ? 0 : c / far;
  const auto [low, high] = std::minmax(one, other);
  if (a > 0) return not_negative({{low, high}});
  return not_negative({{-infinity, low}, {high, {}}});
}

}  // namespace prengdl
