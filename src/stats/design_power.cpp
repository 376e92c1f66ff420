// SPDX-License-Identifier: Apache-2.0
#include "stats/design_power.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "base/error.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr std::size_t most_pairs = 100'000;

void check(std::size_t pairs, double alpha) {
  if (pairs < 2) throw Error("a paired t test needs two pairs");
  if (!(alpha > 0 && alpha < 1)) throw Error("a level must be between 0 and 1");
}

/// Of a smooth function, in pieces.
template <class Function>
double integral(const Function& function, double from, double to) {
  constexpr int pieces = 40;
  double sum = 0;
  for (int i = 0; i < pieces; ++i)
    sum += boost::math::quadrature::gauss<double, 15>::integrate(
        function, from + (to - from) * i / pieces, from + (to - from) * (i + 1) / pieces);
  return sum;
}

/// P(T > t) of the noncentral t for t > 0. Boost's series loses its way where both are large, as
/// with few pairs and a strict level. There it is integrated over r, the root of the denominator's
/// chi-squared: T > t where r is below (noncentrality + Z) sqrt(freedom) / t, Z a normal deviate.
double upper_tail(double t, double freedom, double noncentrality) {
  if (std::abs(noncentrality) < 30 && t < 30) {
    const boost::math::non_central_t distribution(freedom, noncentrality);
    return boost::math::cdf(boost::math::complement(distribution, t));
  }
  const boost::math::chi_squared chi(freedom);
  const boost::math::normal normal;
  const double width = std::sqrt(freedom) / t;
  const double middle = noncentrality * width;
  const double end = std::sqrt(boost::math::quantile(boost::math::complement(chi, 1e-14)));
  // Below `from` it is certain, above `to` it does not happen.
  const double from = std::clamp(middle - 9 * width, 0.0, end);
  const double to = std::clamp(middle + 9 * width, 0.0, end);
  const auto part = [&](double r) {
    return boost::math::cdf(normal, (middle - r) / width) * boost::math::pdf(chi, r * r) * 2 * r;
  };
  return (from > 0 ? boost::math::cdf(chi, from * from) : 0.0) + integral(part, from, to);
}

/// The fewest pairs with which a test reaches a power that grows with them; nothing if most_pairs
/// are not enough.
template <class Reaches>
std::optional<std::size_t> fewest_pairs(Reaches reaches) {
  std::size_t low = 1;  // too few
  std::size_t high = 2;
  while (!reaches(high)) {
    if (high == most_pairs) return std::nullopt;
    low = high;
    high = std::min(most_pairs, 2 * high);
  }
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double smallest_signed_rank_p(std::size_t pairs) {
  return pairs == 0 ? 1.0
                    : std::ldexp(1.0, 1 - static_cast<int>(std::min<std::size_t>(pairs, 1000)));
}

double smallest_rank_sum_p(std::size_t first, std::size_t second) {
  // Two of the ways to choose which of the ranks belong to the first sample.
  double p = 2;
  for (std::size_t i = 1; i <= first; ++i)
    p *= static_cast<double>(i) / static_cast<double>(second + i);
  return std::min(p, 1.0);
}

std::size_t pairs_for_signed_rank(double p) {
  if (!(p > 0)) throw Error("no number of pairs gives a p of zero");
  std::size_t pairs = 1;
  while (smallest_signed_rank_p(pairs) > p && pairs < 1000) ++pairs;
  return pairs;
}

double paired_t_power(double difference, std::size_t pairs, double alpha) {
  check(pairs, alpha);
  const auto n = static_cast<double>(pairs);
  const double limit = student_quantile(1 - alpha / 2, n - 1);
  const double noncentrality = std::abs(difference) * std::sqrt(n);
  // The test may also reject on the wrong side; that counts, as in R's power.t.test(strict = TRUE).
  const double wrong_side = noncentrality < 8 ? upper_tail(limit, n - 1, -noncentrality) : 0.0;
  return std::min(1.0, upper_tail(limit, n - 1, noncentrality) + wrong_side);
}

std::optional<double> detectable_difference(std::size_t pairs, double alpha, double power) {
  if (pairs < 2) return std::nullopt;
  double low = 0;
  double high = 1;
  while (paired_t_power(high, pairs, alpha) < power) {
    low = high;
    high *= 2;
    if (high > 1e9) return std::nullopt;
  }
  for (int i = 0; i < 60 && high - low > 1e-9 * high; ++i) {
    const double middle = (low + high) / 2;
    (paired_t_power(middle, pairs, alpha) < power ? low : high) = middle;
  }
  return high;
}

std::optional<std::size_t> pairs_for_difference(double difference, double alpha, double power) {
  if (difference == 0) return std::nullopt;
  return fewest_pairs(
      [&](std::size_t pairs) { return paired_t_power(difference, pairs, alpha) >= power; });
}

double equivalence_power(double difference, double margin, std::size_t pairs, double alpha) {
  check(pairs, alpha);
  if (!(alpha < 0.5) || !(margin > 0))
    throw Error("equivalence needs a margin, and a level below 0.5");
  const auto n = static_cast<double>(pairs);
  const double freedom = n - 1;
  const double limit = student_quantile(1 - alpha, freedom);
  // Both tests reject if the mean difference lies within margin - limit r / sqrt(n freedom) of
  // zero, r being the root of the sample variance's chi-squared. Integrated over r.
  const boost::math::chi_squared chi(freedom);
  const boost::math::normal normal;
  const double width = std::sqrt(freedom) / limit;
  const double above = (margin - difference) * std::sqrt(n);
  const double below = (margin + difference) * std::sqrt(n);
  const double nearest = std::min(above, below) * width;
  const double end =
      std::min((above + below) / 2 * width,
               std::sqrt(boost::math::quantile(boost::math::complement(chi, 1e-14))));
  // Below `from` both reject for certain, above `to` they do not.
  const double from = std::clamp(nearest - 9 * width, 0.0, end);
  const double to = std::clamp(nearest + 9 * width, 0.0, end);
  const auto part = [&](double r) {
    const double within =
        boost::math::cdf(normal, above - r / width) - boost::math::cdf(normal, r / width - below);
    return within * boost::math::pdf(chi, r * r) * 2 * r;
  };
  return std::min(1.0,
                  (from > 0 ? boost::math::cdf(chi, from * from) : 0.0) + integral(part, from, to));
}

std::optional<std::size_t> pairs_for_equivalence(double difference, double margin, double alpha,
                                                 double power) {
  if (!(std::abs(difference) < margin)) return std::nullopt;
  return fewest_pairs([&](std::size_t pairs) {
    return equivalence_power(difference, margin, pairs, alpha) >= power;
  });
}

std::optional<double> expected_half_width(std::size_t pairs, double alpha) {
  if (pairs < 2) return std::nullopt;
  const auto n = static_cast<double>(pairs);
  // A sample's standard deviation is on average c4 times the true one.
  const double c4 =
      std::sqrt(2 / (n - 1)) * std::exp(std::lgamma(n / 2) - std::lgamma((n - 1) / 2));
  return student_quantile(1 - alpha / 2, n - 1) * c4 / std::sqrt(n);
}

std::optional<double> pooled_standard_deviation(std::span<const std::vector<double>> samples) {
  double squares = 0;
  double freedom = 0;
  for (const auto& sample : samples) {
    if (sample.size() < 2) continue;
    const double sd = standard_deviation(sample);
    const auto degrees = static_cast<double>(sample.size() - 1);
    squares += sd * sd * degrees;
    freedom += degrees;
  }
  if (freedom == 0) return std::nullopt;
  return std::sqrt(squares / freedom);
}

double upper_limit_of_sd(double sd, double freedom, double confidence) {
  if (!(freedom > 0)) throw Error("a standard deviation needs degrees of freedom");
  if (!(confidence > 0 && confidence < 1)) throw Error("a confidence lies between 0 and 1");
  const boost::math::chi_squared chi(freedom);
  return sd * std::sqrt(freedom / boost::math::quantile(chi, 1 - confidence));
}

}  // namespace prengdl
