// SPDX-License-Identifier: Apache-2.0
#include "stats/limit_test.h"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "stats/design_power.h"
#include "stats/log_ratio.h"
#include "stats/ranks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr auto no_spread = "the values do not differ from run to run, so there is no spread";
constexpr auto no_spread_advice =
    "A meter that does not change, or has too coarse steps, looks like this.";

std::vector<double> logs(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(std::log(value));
  return result;
}

/// Rounding leaves some 1e-16 where all values are equal; a hundred times that is still no spread.
bool is_spread(double sd, double centre) { return sd > 1e-14 * std::max(1.0, std::abs(centre)); }

/// The figures that follow from the others, `error` being the standard error of the mean log.
void conclude(LimitTest& test, double error, double limit, double alpha) {
  const double centre = std::log(test.ratio);
  test.excess = centre - std::log(limit);
  const double half = student_quantile(1 - alpha, test.freedom) * error;
  test.at_least = std::exp(centre - half);
  test.at_most = std::exp(centre + half);
  const boost::math::students_t distribution(test.freedom);
  const double t = test.excess / error;
  test.p_above = boost::math::cdf(boost::math::complement(distribution, t));
  test.p_within = boost::math::cdf(distribution, t);
}

std::optional<Error> refusal(std::span<const double> a, std::span<const double> b, double limit,
                             double alpha) {
  if (!(limit > 0) || !std::isfinite(limit)) return Error("a limit of a ratio must be above zero");
  if (!(alpha > 0 && alpha < 0.5)) return Error("an error rate must lie between 0 and 0.5");
  if (!all_finite(a) || !all_finite(b)) return Error("a ratio needs numbers");
  return std::nullopt;
}

}  // namespace

Result<LimitTest> paired_limit_test(std::span<const double> a, std::span<const double> b,
                                    double limit, double alpha) {
  if (const auto error = refusal(a, b, limit, alpha)) return tl::unexpected(*error);
  const auto estimate = paired_log_ratio(a, b);
  if (!estimate) return tl::unexpected(estimate.error());
  auto differences = logs(a);
  const auto other = logs(b);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= other[i];
  LimitTest test;
  test.ratio = estimate->ratio;
  test.ci95 = estimate->ci95;
  test.spread = standard_deviation(differences);
  if (!is_spread(test.spread, std::log(test.ratio))) return failure(no_spread, no_spread_advice);
  const auto n = static_cast<double>(differences.size());
  test.freedom = test.spread_freedom = n - 1;
  conclude(test, test.spread / std::sqrt(n), limit, alpha);
  return test;
}

LogRatio across_occasions(const LogRatio& ratio, double between) {
  if (between == 0) return ratio;
  const double error = std::hypot(ratio.standard_error, std::sqrt(2.0) * between);
  return log_ratio_of(std::log(ratio.ratio), error,
                      ratio.freedom * std::pow(error / ratio.standard_error, 4));
}

Result<LimitTest> unpaired_limit_test(std::span<const double> a, std::span<const double> b,
                                      double limit, double alpha) {
  return occasions_limit_test(a, b, limit, alpha, 0);
}

Result<LimitTest> occasions_limit_test(std::span<const double> a, std::span<const double> b,
                                       double limit, double alpha, double between) {
  if (const auto error = refusal(a, b, limit, alpha)) return tl::unexpected(*error);
  if (!(between >= 0) || !std::isfinite(between))
    return failure("a spread between occasions cannot be below zero");
  const auto estimate = unpaired_log_ratio(a, b);
  if (!estimate) return tl::unexpected(estimate.error());
  const auto variance = [](std::span<const double> values) {
    const double sd = standard_deviation(logs(values));
    return sd * sd;
  };
  const double x = variance(a);
  const double y = variance(b);
  LimitTest test;
  test.spread = std::sqrt(x + y);
  test.spread_freedom = estimate->freedom;
  test.freedom_per_run = (x + y) * (x + y) / (x * x + y * y);
  test.between = between;
  if (!is_spread(test.spread, std::log(estimate->ratio)))
    return failure(no_spread, no_spread_advice);
  const LogRatio ratio = across_occasions(*estimate, between);
  test.ratio = ratio.ratio;
  test.ci95 = ratio.ci95;
  test.freedom = ratio.freedom;
  conclude(test, ratio.standard_error, limit, alpha);
  return test;
}

std::optional<std::size_t> runs_to_decide(const LimitTest& test, double alpha, double power,
                                          std::size_t most) {
  const double spread = upper_limit_of_sd(test.spread, test.spread_freedom, 0.8);
  const double of_occasions = 2 * test.between * test.between;
  const auto decides = [&](std::size_t runs) {
    const auto n = static_cast<double>(runs);
    const double of_runs = spread * spread / n;
    const double variance = of_runs + of_occasions;
    // From a million degrees on, t is normal to six digits.
    const double freedom =
        std::min(1e6, (n - 1) * test.freedom_per_run * std::pow(variance / of_runs, 2));
    const boost::math::non_central_t seen(freedom, std::abs(test.excess) / std::sqrt(variance));
    const double needed = student_quantile(1 - alpha, freedom);
    return boost::math::cdf(boost::math::complement(seen, needed)) >= power;
  };
  // Normal theory is right to a run or two, from where the exact test is looked for step by step.
  const boost::math::normal normal;
  const double sum =
      boost::math::quantile(normal, 1 - alpha) + boost::math::quantile(normal, power);
  const double left_for_runs = std::pow(test.excess / sum, 2) - of_occasions;
  const double guess = spread * spread / left_for_runs;
  if (!(left_for_runs > 0 && guess < static_cast<double>(most))) return std::nullopt;
  auto runs = std::max<std::size_t>(2, static_cast<std::size_t>(guess));
  while (runs > 2 && decides(runs - 1)) --runs;
  while (runs <= most && !decides(runs)) ++runs;
  if (runs > most) return std::nullopt;
  return runs;
}

}  // namespace prengdl
