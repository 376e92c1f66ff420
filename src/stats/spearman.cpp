// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "stats/correlation.h"
#include "stats/ranks.h"

namespace prengdl {
namespace {

constexpr std::size_t largest_exact = 12;
constexpr std::size_t largest_edgeworth = 1290;

/// Scores from 0 in the largest unit that keeps them whole.
std::vector<std::uint32_t> from_zero(const Ranks& ranks) {
  const auto least = *std::min_element(ranks.doubled.begin(), ranks.doubled.end());
  std::size_t unit = 0;
  for (const auto rank : ranks.doubled) unit = std::gcd(unit, rank - least);
  std::vector<std::uint32_t> scores;
  scores.reserve(ranks.doubled.size());
  for (const auto rank : ranks.doubled)
    scores.push_back(static_cast<std::uint32_t>((rank - least) / unit));
  return scores;
}

/// Where the sum of products lies among all n! ways to pair the scores, n at most 12. The first
/// values of x, whatever their order, take a set of those of y; what is left to come does not
/// depend on who took which, so there are 2^n sets to count instead of n! orders.
Tails permutation_tails(const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& y) {
  const std::size_t n = x.size();
  const std::uint32_t sum = std::inner_product(x.begin(), x.end(), y.begin(), 0U);
  auto sorted_x = x;
  auto sorted_y = y;
  std::sort(sorted_x.begin(), sorted_x.end());
  std::sort(sorted_y.begin(), sorted_y.end());
  const std::size_t width =
      std::inner_product(sorted_x.begin(), sorted_x.end(), sorted_y.begin(), std::size_t{1});
  std::vector<std::uint32_t> ways((std::size_t{1} << n) * width, 0);  // 12! fits
  ways[0] = 1;
  for (std::size_t taken = 1; taken < std::size_t{1} << n; ++taken) {
    const std::uint32_t score = x[static_cast<std::size_t>(std::popcount(taken)) - 1];
    std::uint32_t* const here = &ways[taken * width];
    for (std::size_t j = 0; j < n; ++j) {
      if ((taken >> j & 1) == 0) continue;
      const std::size_t product = std::size_t{score} * y[j];
      const std::uint32_t* const before = &ways[(taken ^ std::size_t{1} << j) * width];
      for (std::size_t s = product; s < width; ++s) here[s] += before[s - product];
    }
  }
  const auto last = ways.end() - static_cast<std::ptrdiff_t>(width);
  const double below = std::accumulate(last, last + sum, 0.0);
  const double above = std::accumulate(last + sum + 1, ways.end(), 0.0);
  const double at = last[sum];
  const double all = below + at + above;
  return {(below + at) / all, (above + at) / all};
}

/// Algorithm AS 89: P(D >= d) of the sum of squared rank differences, which is even.
double edgeworth_upper(double d, double n) {
  const double b = 1 / n;
  const double x = (6 * (d - 1) * b / (n * n - 1) - 1) * std::sqrt(n - 1);
  const double y = x * x;
  const double series =
      x * b *
      (0.2274 + b * (0.2531 + 0.1745 * b) +
       y * (-0.0758 + b * (0.1033 + 0.3932 * b) -
            y * b *
                (0.0879 + 0.0151 * b - y * (0.0072 - 0.0831 * b + y * b * (0.0131 - 4.6e-4 * y)))));
  const double normal = boost::math::cdf(boost::math::complement(boost::math::normal(), x));
  return std::min(1.0, std::max(0.0, series / std::exp(y / 2) + normal));
}

Tails student_tails(double rho, double n) {
  const boost::math::students_t distribution(n - 2);
  if (rho >= 1) return {1, 0};
  if (rho <= -1) return {0, 1};
  const double t = rho * std::sqrt((n - 2) / ((1 - rho) * (1 + rho)));
  return {boost::math::cdf(distribution, t),
          boost::math::cdf(boost::math::complement(distribution, t))};
}

}  // namespace

Result<Correlation> spearman(std::span<const double> x, std::span<const double> y,
                             Alternative alternative) {
  const auto ranks = ranks_of_pairs(x, y);
  if (!ranks) return tl::unexpected(ranks.error());
  const auto& [rx, ry] = *ranks;
  const auto n = static_cast<double>(x.size());
  double xx = 0;
  double yy = 0;
  double xy = 0;
  double squared_differences = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = static_cast<double>(rx.doubled[i]) - (n + 1);
    const double b = static_cast<double>(ry.doubled[i]) - (n + 1);
    xx += a * a;
    yy += b * b;
    xy += a * b;
    squared_differences += (a - b) * (a - b) / 4;
  }
  Correlation result{"Spearman, exact", xy / (std::sqrt(xx) * std::sqrt(yy)), 1};
  result.value = std::clamp(result.value, -1.0, 1.0);
  Tails tails;
  if (x.size() <= largest_exact) {
    tails = permutation_tails(from_zero(rx), from_zero(ry));
  } else if (!rx.tied() && !ry.tied() && x.size() <= largest_edgeworth) {
    // A large sum of differences is a small rho. The distribution is even about its mean.
    result.test = "Spearman, Edgeworth";
    const double largest = n * (n * n - 1) / 3;
    tails = {edgeworth_upper(squared_differences, n),
             edgeworth_upper(largest - squared_differences, n)};
  } else {
    result.test = "Spearman, t";
    tails = student_tails(result.value, n);
  }
  const double smallest = std::exp(-std::lgamma(n + 1));  // one of n! orders
  tails.at_most = std::max(tails.at_most, smallest);
  tails.at_least = std::max(tails.at_least, smallest);
  result.p = p_value(tails, alternative);
  return result;
}

}  // namespace prengdl
