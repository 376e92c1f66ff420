// SPDX-License-Identifier: Apache-2.0
#include "stats/log_ratio.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>

#include "stats/dependence.h"
#include "stats/summary.h"
#include "stats/value_step.h"

namespace prengdl {
namespace {

/// A step as a share of the geometric mean.
double relative(double step, std::span<const double> logs) { return step / std::exp(mean(logs)); }

/// Rounding leaves some 1e-16 where all values are equal.
bool has_spread(std::span<const double> logs, double relative_step) {
  const auto [low, high] = std::ranges::minmax_element(logs);
  const double least = 1e-14 * std::max({1.0, std::abs(*low), std::abs(*high)});
  return *high - *low > std::max(least, relative_step / 2);
}

tl::unexpected<Error> without_spread() {
  return failure("the values do not differ from run to run, so there is no spread",
                 "A meter that does not change, or has too coarse steps, looks like this.");
}

/// The variance that the step of both samples' values adds to that of a difference of mean logs.
double rounding_error(std::span<const double> x, std::span<const double> y,
                      const SampleFacts& facts) {
  return rounding_variance(x, relative(facts.step, x)) +
         rounding_variance(y, relative(facts.step, y));
}

}  // namespace

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

Result<LogRatio> paired_log_ratio(std::span<const double> a, std::span<const double> b,
                                  const SampleFacts& facts) {
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  if (a.size() < 2) return failure("an interval needs at least two pairs");
  const auto x = logs_of(a);
  if (!x) return tl::unexpected(x.error());
  const auto y = logs_of(b);
  if (!y) return tl::unexpected(y.error());
  std::vector<double> differences(x->size());
  std::ranges::transform(*x, *y, differences.begin(), std::minus{});
  const double steps = std::max(relative(facts.step, *x), relative(facts.step, *y));
  if (!has_spread(differences, steps)) return without_spread();
  const double n = effective_n(differences.size(), facts.correlation);
  const double sd = standard_deviation(differences);
  LogRatio result = log_ratio_of(mean(differences),
                                 std::sqrt(sd * sd / n + rounding_error(*x, *y, facts)), n - 1);
  result.paired = true;
  return result;
}

Result<LogRatio> unpaired_log_ratio(std::span<const double> a, std::span<const double> b,
                                    const SampleFacts& facts) {
  if (a.size() < 2 || b.size() < 2) return failure("an interval needs two values on each side");
  const auto x = logs_of(a);
  if (!x) return tl::unexpected(x.error());
  const auto y = logs_of(b);
  if (!y) return tl::unexpected(y.error());
  if (!has_spread(*x, relative(facts.step, *x)) && !has_spread(*y, relative(facts.step, *y)))
    return without_spread();
  const double nx = effective_n(x->size(), facts.correlation);
  const double ny = effective_n(y->size(), facts.correlation_of_b);
  const double vx = std::pow(standard_deviation(*x), 2) / nx;
  const double vy = std::pow(standard_deviation(*y), 2) / ny;
  const double freedom = (vx + vy) * (vx + vy) / (vx * vx / (nx - 1) + vy * vy / (ny - 1));
  return log_ratio_of(mean(*x) - mean(*y), std::sqrt(vx + vy + rounding_error(*x, *y, facts)),
                      freedom);
}

}  // namespace prengdl
