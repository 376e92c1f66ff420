// SPDX-License-Identifier: Apache-2.0
#include "stats/spread_tests.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr auto no_spread = "a sample without any spread: nothing to compare";

double variance(std::span<const double> values) {
  const double sd = standard_deviation(values);
  return sd * sd;
}

struct LogPair {
  std::vector<double> a, b;
};

Result<LogPair> logs_of_both(std::span<const double> a, std::span<const double> b) {
  auto x = logs_of(a);
  if (!x) return tl::unexpected(x.error());
  auto y = logs_of(b);
  if (!y) return tl::unexpected(y.error());
  return LogPair{std::move(*x), std::move(*y)};
}

bool is_confidence(double value) { return value > 0 && value < 1; }

}  // namespace

Result<SpreadTest> brown_forsythe(std::span<const std::vector<double>> samples) {
  if (samples.size() < 2) return failure("a comparison of spreads needs two samples");
  std::vector<double> all;
  std::vector<double> centres;
  double inside = 0;
  for (const auto& sample : samples) {
    if (sample.size() < 3)
      return failure("the Brown-Forsythe test needs three values in each sample",
                     "with two, both are equally far from their median");
    const double middle = median(sample);
    std::vector<double> distances;
    distances.reserve(sample.size());
    for (const double value : sample) distances.push_back(std::abs(value - middle));
    centres.push_back(mean(distances));
    for (const double distance : distances) inside += std::pow(distance - centres.back(), 2);
    all.insert(all.end(), distances.begin(), distances.end());
  }
  const double centre = mean(all);
  double outside = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    outside += static_cast<double>(samples[i].size()) * std::pow(centres[i] - centre, 2);
  if (!(inside > 0)) return failure(no_spread);
  SpreadTest result;
  result.test = "Brown-Forsythe";
  result.between = static_cast<double>(samples.size() - 1);
  result.within = static_cast<double>(all.size() - samples.size());
  result.statistic = outside / result.between / (inside / result.within);
  const boost::math::fisher_f distribution(result.between, result.within);
  result.p = boost::math::cdf(boost::math::complement(distribution, result.statistic));
  return result;
}

Result<SpreadTest> bartlett(std::span<const std::vector<double>> samples) {
  if (samples.size() < 2) return failure("a comparison of spreads needs two samples");
  double freedom = 0;
  double squares = 0;
  double logs = 0;
  double inverse = 0;
  for (const auto& sample : samples) {
    if (sample.size() < 2) return failure("a spread needs two values in each sample");
    const double here = variance(sample);
    if (!(here > 0)) return failure(no_spread);
    const auto degrees = static_cast<double>(sample.size() - 1);
    freedom += degrees;
    squares += degrees * here;
    logs += degrees * std::log(here);
    inverse += 1 / degrees;
  }
  SpreadTest result;
  result.test = "Bartlett";
  result.between = static_cast<double>(samples.size() - 1);
  const double correction = 1 + (inverse - 1 / freedom) / (3 * result.between);
  result.statistic = std::max(0.0, (freedom * std::log(squares / freedom) - logs) / correction);
  const boost::math::chi_squared distribution(result.between);
  result.p = boost::math::cdf(boost::math::complement(distribution, result.statistic));
  return result;
}

Result<SpreadRatio> spread_ratio(std::span<const double> a, std::span<const double> b,
                                 double confidence) {
  if (!is_confidence(confidence)) return failure("a confidence lies between 0 and 1");
  if (a.size() < 2 || b.size() < 2) return failure("a spread needs two values on each side");
  const auto logs = logs_of_both(a, b);
  if (!logs) return tl::unexpected(logs.error());
  const double of_a = variance(logs->a);
  const double of_b = variance(logs->b);
  if (!(of_a > 0) || !(of_b > 0)) return failure(no_spread);
  const double f = of_a / of_b;
  const boost::math::fisher_f distribution(static_cast<double>(a.size() - 1),
                                           static_cast<double>(b.size() - 1));
  const double tail = (1 - confidence) / 2;
  SpreadRatio result;
  result.test = "F";
  result.confidence = confidence;
  result.ratio = std::sqrt(f);
  const double upper = boost::math::quantile(boost::math::complement(distribution, tail));
  const double lower = boost::math::quantile(distribution, tail);
  result.interval = {std::sqrt(f / upper), std::sqrt(f / lower)};
  const double below = boost::math::cdf(distribution, f);
  const double above = boost::math::cdf(boost::math::complement(distribution, f));
  result.p = std::min(1.0, 2 * std::min(below, above));
  return result;
}

Result<SpreadRatio> paired_spread_ratio(std::span<const double> a, std::span<const double> b,
                                        double confidence) {
  if (!is_confidence(confidence)) return failure("a confidence lies between 0 and 1");
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  if (a.size() < 3) return failure("a comparison of spreads needs three pairs");
  const auto logs = logs_of_both(a, b);
  if (!logs) return tl::unexpected(logs.error());
  const double of_a = variance(logs->a);
  const double of_b = variance(logs->b);
  if (!(of_a > 0) || !(of_b > 0)) return failure(no_spread);
  const double mean_a = mean(logs->a);
  const double mean_b = mean(logs->b);
  double products = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    products += (logs->a[i] - mean_a) * (logs->b[i] - mean_b);
  const auto n = static_cast<double>(a.size());
  const double covariance = products / (n - 1);
  // 1 - r^2, straight from the two-by-two determinant; r near 1 would cancel.
  const double rest = (of_a * of_b - covariance * covariance) / (of_a * of_b);
  if (!(rest > 1e-14)) return failure("the two samples are the same up to a factor on logs");
  const double f = of_a / of_b;
  SpreadRatio result;
  result.test = "Pitman-Morgan";
  result.confidence = confidence;
  result.ratio = std::sqrt(f);
  result.p = two_sided_p((f - 1) * std::sqrt((n - 2) / (4 * f * rest)), n - 2);
  // The variance ratios that the test does not refuse at this level (Morgan 1939).
  const double t = student_factor(confidence, n - 2);
  const double k = 1 + 2 * rest * t * t / (n - 2);
  const double reach = k + std::sqrt(k * k - 1);
  result.interval = {std::sqrt(f / reach), std::sqrt(f * reach)};
  return result;
}

}  // namespace prengdl
