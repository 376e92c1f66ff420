// SPDX-License-Identifier: Apache-2.0
#include "stats/log_ratio.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "stats/summary.h"

namespace prengdl {

Result<std::vector<double>> logs_of(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) return failure("a ratio needs values above zero");
    result.push_back(std::log(value));
  }
  return result;
}

double student_factor(double confidence, double freedom) {
  if (!(confidence > 0 && confidence < 1)) throw Error("a confidence lies between 0 and 1");
  const boost::math::students_t distribution(freedom);
  return boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2));
}

double two_sided_p(double t, double freedom) {
  const boost::math::students_t distribution(freedom);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

LogRatio log_ratio_of(double difference, double standard_error, double freedom) {
  LogRatio result;
  result.ratio = std::exp(difference);
  result.standard_error = standard_error;
  result.freedom = freedom;
  if (standard_error == 0) {  // no spread at all: the ratio is exact, and different from 1 or not
    result.ci95 = {result.ratio, result.ratio};
    result.p = difference == 0 ? 1 : 0;
    return result;
  }
  const double half = student_quantile(0.975, freedom) * standard_error;
  result.ci95 = {std::exp(difference - half), std::exp(difference + half)};
  result.p = two_sided_p(difference / standard_error, freedom);
  return result;
}

std::array<double, 2> interval_of(const LogRatio& ratio, double confidence) {
  const double factor = std::exp(student_factor(confidence, ratio.freedom) * ratio.standard_error);
  return {ratio.ratio / factor, ratio.ratio * factor};
}

Result<LogRatio> paired_log_ratio(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  if (a.size() < 2) return failure("an interval needs at least two pairs");
  auto differences = logs_of(a);
  if (!differences) return tl::unexpected(differences.error());
  const auto other = logs_of(b);
  if (!other) return tl::unexpected(other.error());
  for (std::size_t i = 0; i < differences->size(); ++i) (*differences)[i] -= (*other)[i];
  const auto n = static_cast<double>(differences->size());
  LogRatio result =
      log_ratio_of(mean(*differences), standard_deviation(*differences) / std::sqrt(n), n - 1);
  result.paired = true;
  return result;
}

Result<LogRatio> unpaired_log_ratio(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return failure("an interval needs two values on each side");
  const auto x = logs_of(a);
  if (!x) return tl::unexpected(x.error());
  const auto y = logs_of(b);
  if (!y) return tl::unexpected(y.error());
  const auto share = [](const std::vector<double>& values) {
    const double sd = standard_deviation(values);
    return sd * sd / static_cast<double>(values.size());
  };
  const double vx = share(*x);
  const double vy = share(*y);
  const double error = std::sqrt(vx + vy);
  const double freedom = error == 0 ? static_cast<double>(x->size() + y->size() - 2)
                                    : (vx + vy) * (vx + vy) /
                                          (vx * vx / static_cast<double>(x->size() - 1) +
                                           vy * vy / static_cast<double>(y->size() - 1));
  return log_ratio_of(mean(*x) - mean(*y), error, freedom);
}

}  // namespace prengdl
