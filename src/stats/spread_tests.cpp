// SPDX-License-Identifier: Apache-2.0
#include "stats/spread_tests.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr auto no_spread = "a sample without any spread: nothing to compare";

double variance(std::span<const double> values) {
  const double sd = standard_deviation(values);
  return sd * sd;
}

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

}  // namespace prengdl
