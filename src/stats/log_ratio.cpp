// SPDX-License-Identifier: Apache-2.0
#include "stats/log_ratio.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/summary.h"

namespace prengdl {
namespace {

std::vector<double> logs(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(std::log(value));
  return result;
}

bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return x > 0; });
}

/// From a difference of mean logs, its standard error and degrees of freedom.
LogRatio conclude(double difference, double error, double freedom) {
  LogRatio result;
  result.ratio = std::exp(difference);
  if (error == 0) {  // no spread at all: the ratio is exact, and different from 1 or not
    result.ci95 = {result.ratio, result.ratio};
    result.p = difference == 0 ? 1 : 0;
    return result;
  }
  const double half = student_quantile(0.975, freedom) * error;
  result.ci95 = {std::exp(difference - half), std::exp(difference + half)};
  const boost::math::students_t distribution(freedom);
  result.p =
      2 * boost::math::cdf(boost::math::complement(distribution, std::abs(difference / error)));
  return result;
}

}  // namespace

Result<LogRatio> paired_log_ratio(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  if (a.size() < 2) return failure("an interval needs at least two pairs");
  if (!all_positive(a) || !all_positive(b)) return failure("a ratio needs values above zero");
  auto differences = logs(a);
  const auto other = logs(b);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= other[i];
  const auto n = static_cast<double>(differences.size());
  LogRatio result =
      conclude(mean(differences), standard_deviation(differences) / std::sqrt(n), n - 1);
  result.paired = true;
  return result;
}

Result<LogRatio> unpaired_log_ratio(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return failure("an interval needs two values on each side");
  if (!all_positive(a) || !all_positive(b)) return failure("a ratio needs values above zero");
  const auto x = logs(a);
  const auto y = logs(b);
  const auto share = [](const std::vector<double>& values) {
    const double sd = standard_deviation(values);
    return sd * sd / static_cast<double>(values.size());
  };
  const double vx = share(x);
  const double vy = share(y);
  const double error = std::sqrt(vx + vy);
  const double freedom = error == 0 ? static_cast<double>(x.size() + y.size() - 2)
                                    : (vx + vy) * (vx + vy) /
                                          (vx * vx / static_cast<double>(x.size() - 1) +
                                           vy * vy / static_cast<double>(y.size() - 1));
  return conclude(mean(x) - mean(y), error, freedom);
}

}  // namespace prengdl
