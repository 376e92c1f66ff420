// SPDX-License-Identifier: Apache-2.0
#include "stats/trimmed.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "stats/ranks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// A sample without its ends, and with its ends pulled in.
struct Trimmed {
  double kept = 0;  // values that are left
  double mean = 0;
  std::vector<double> winsorised;  // less their mean, in the order of the sample
};

Result<Trimmed> trimmed_of(std::span<const double> values, double trim) {
  if (!all_finite(values)) return failure("a trimmed mean needs finite values");
  if (!(trim >= 0 && trim < 0.5))
    return failure("a trimmed share is at least 0 and below 0.5", "0.2 is the usual choice");
  // 0.2 * 15 may come out just below 3.
  const auto cut =
      static_cast<std::size_t>(trim * static_cast<double>(values.size()) * (1 + 1e-12));
  if (values.size() < 2 * cut + 2)
    return failure("fewer than two values are left after trimming", "measure more runs");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Trimmed trimmed;
  const auto middle = std::span(sorted).subspan(cut, sorted.size() - 2 * cut);
  trimmed.kept = static_cast<double>(middle.size());
  trimmed.mean = mean(middle);
  for (const double value : values)
    trimmed.winsorised.push_back(std::clamp(value, middle.front(), middle.back()));
  const double centre = mean(trimmed.winsorised);
  for (double& value : trimmed.winsorised) value -= centre;
  return trimmed;
}

/// A winsorised sum of products as the variance (or covariance) of a trimmed mean.
double share(const Trimmed& a, const Trimmed& b) {
  double products = 0;
  for (std::size_t i = 0; i < a.winsorised.size(); ++i)
    products += a.winsorised[i] * b.winsorised[i];
  return products / (a.kept * (a.kept - 1));
}

TrimmedTest conclude(double difference, double variance, double freedom) {
  TrimmedTest result{difference, {difference, difference}, freedom, difference == 0 ? 1.0 : 0.0};
  if (!(variance > 0)) return result;  // no spread at all: the difference is exact
  const double error = std::sqrt(variance);
  const double half = student_quantile(0.975, freedom) * error;
  result.ci95 = {difference - half, difference + half};
  const boost::math::students_t distribution(freedom);
  result.p =
      2 * boost::math::cdf(boost::math::complement(distribution, std::abs(difference) / error));
  return result;
}

}  // namespace

Result<TrimmedTest> yuen(std::span<const double> a, std::span<const double> b, double trim) {
  auto x = trimmed_of(a, trim);
  if (!x) return tl::unexpected(std::move(x.error()));
  auto y = trimmed_of(b, trim);
  if (!y) return tl::unexpected(std::move(y.error()));
  const double vx = share(*x, *x);
  const double vy = share(*y, *y);
  const double sum = vx + vy;
  const double freedom = sum > 0 ? sum * sum / (vx * vx / (x->kept - 1) + vy * vy / (y->kept - 1))
                                 : x->kept + y->kept - 2;
  return conclude(x->mean - y->mean, sum, freedom);
}

Result<TrimmedTest> yuen_paired(std::span<const double> a, std::span<const double> b, double trim) {
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  auto x = trimmed_of(a, trim);
  if (!x) return tl::unexpected(std::move(x.error()));
  auto y = trimmed_of(b, trim);
  if (!y) return tl::unexpected(std::move(y.error()));
  // The squares of the differences of the winsorised values: var a + var b - 2 cov, without the
  // cancellation of that sum.
  Trimmed differences = *x;
  for (std::size_t i = 0; i < differences.winsorised.size(); ++i)
    differences.winsorised[i] -= y->winsorised[i];
  return conclude(x->mean - y->mean, share(differences, differences), x->kept - 1);
}

}  // namespace prengdl
