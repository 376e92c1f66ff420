// SPDX-License-Identifier: Apache-2.0
#include "stats/normality.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "stats/summary.h"

namespace prengdl {
namespace {

/// c[0] + c[1] x + c[2] x^2 + ...
double polynomial(std::span<const double> c, double x) {
  double result = 0;
  for (std::size_t i = c.size(); i-- > 0;) result = result * x + c[i];
  return result;
}

/// Royston's weights of the upper half of the ordered values, the largest first; those of the lower
/// half are their negatives.
std::vector<double> upper_weights(std::size_t n) {
  const std::size_t half = n / 2;
  if (n == 3) return {std::sqrt(0.5)};
  const boost::math::normal normal;
  std::vector<double> scores(half);  // expected normal order statistics, after Blom
  double squares = 0;
  for (std::size_t i = 0; i < half; ++i) {
    const double place = (static_cast<double>(i) + 0.625) / (static_cast<double>(n) + 0.25);
    scores[i] = boost::math::quantile(boost::math::complement(normal, place));
    squares += 2 * scores[i] * scores[i];
  }
  // The extreme one or two weights are corrected by polynomials in 1 / sqrt(n).
  constexpr double largest[] = {0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056};
  constexpr double second[] = {0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633};
  const double u = 1 / std::sqrt(static_cast<double>(n));
  const std::size_t corrected = n > 5 ? 2 : 1;
  std::vector<double> weights(half);
  double rest_of_scores = squares;
  double rest_of_weights = 1;
  for (std::size_t i = 0; i < corrected; ++i) {
    weights[i] = scores[i] / std::sqrt(squares) + polynomial(i == 0 ? largest : second, u);
    rest_of_scores -= 2 * scores[i] * scores[i];
    rest_of_weights -= 2 * weights[i] * weights[i];
  }
  const double scale = std::sqrt(rest_of_scores / rest_of_weights);
  for (std::size_t i = corrected; i < half; ++i) weights[i] = scores[i] / scale;
  return weights;
}

/// p from 1 - W.
double significance(double rest, std::size_t n) {
  const auto size = static_cast<double>(n);
  if (n == 3) {
    constexpr double smallest = std::numbers::pi / 3;  // asin(sqrt(3/4)): W is never below 3/4
    const double angle = std::asin(std::sqrt(std::clamp(1 - rest, 0.75, 1.0)));
    return std::clamp(6 / std::numbers::pi * (angle - smallest), 0.0, 1.0);
  }
  double y = std::log(rest);
  double centre = 0;
  double spread = 1;
  if (n <= 11) {
    constexpr double of_gamma[] = {-2.273, 0.459};
    constexpr double of_centre[] = {0.544, -0.39978, 0.025054, -6.714e-4};
    constexpr double of_spread[] = {1.3822, -0.77857, 0.062767, -0.0020322};
    const double gamma = polynomial(of_gamma, size);
    if (y >= gamma) return 0;  // a W below what the approximation reaches
    y = -std::log(gamma - y);
    centre = polynomial(of_centre, size);
    spread = std::exp(polynomial(of_spread, size));
  } else {
    constexpr double of_centre[] = {-1.5861, -0.31082, -0.083751, 0.0038915};
    constexpr double of_spread[] = {-0.4803, -0.082676, 0.0030302};
    const double log_size = std::log(size);
    centre = polynomial(of_centre, log_size);
    spread = std::exp(polynomial(of_spread, log_size));
  }
  const boost::math::normal normal;
  return boost::math::cdf(boost::math::complement(normal, (y - centre) / spread));
}

}  // namespace

Result<NormalityTest> shapiro_wilk(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 3 || n > 5000) return failure("the Shapiro-Wilk test takes 3 to 5000 values");
  std::vector<double> sorted(values.begin(), values.end());
  for (const double value : sorted)
    if (!std::isfinite(value)) return failure("the Shapiro-Wilk test needs numbers");
  std::sort(sorted.begin(), sorted.end());
  const double range = sorted.back() - sorted.front();
  if (!(range > 0)) return failure("all values are equal: no shape to test");
  for (double& value : sorted) value /= range;
  const double centre = mean(sorted);
  const auto weights = upper_weights(n);
  double weighted = 0;
  double of_weights = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weighted += weights[i] * (sorted[n - 1 - i] - sorted[i]);
    of_weights += 2 * weights[i] * weights[i];
  }
  double squares = 0;
  for (const double value : sorted) squares += (value - centre) * (value - centre);
  // 1 - W as a product, since W itself is near 1 and would lose digits.
  const double root = std::sqrt(of_weights * squares);
  const double rest = (root - weighted) * (root + weighted) / (of_weights * squares);
  NormalityTest result;
  result.w = 1 - rest;
  result.p = rest > 0 ? significance(rest, n) : 1;
  return result;
}

}  // namespace prengdl
