// SPDX-License-Identifier: Apache-2.0
#include "stats/mean_ratio.h"

#include <algorithm>
#include <cmath>

#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// Two means with the variances and the covariance of these means.
struct Means {
  double a = 0;
  double b = 0;
  double variance_a = 0;
  double variance_b = 0;
  double covariance = 0;
};

double squares(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

Result<MeanRatio> fieller(const Means& means, double freedom, double confidence) {
  if (!(means.a > 0) || !(means.b > 0))
    return failure("a ratio of means needs means above zero", "look at the values");
  const double t = student_factor(confidence, freedom);
  // (a - r b)^2 = t^2 (variance_a - 2 r covariance + r^2 variance_b), solved for r.
  const double square = means.b * means.b - t * t * means.variance_b;
  const double half = means.a * means.b - t * t * means.covariance;
  const double constant = means.a * means.a - t * t * means.variance_a;
  if (!(square > 0))
    return failure("the runs scatter so much that their mean may be zero", "make more runs");
  const double root = std::sqrt(std::max(0.0, half * half - square * constant));
  return MeanRatio{means.a / means.b,
                   {std::max(0.0, (half - root) / square), (half + root) / square},
                   confidence,
                   freedom};
}

}  // namespace

Result<MeanRatio> paired_mean_ratio(std::span<const double> a, std::span<const double> b,
                                    double confidence) {
  if (a.size() != b.size() || a.size() < 2)
    return failure("a ratio of paired means needs two pairs", "make more runs");
  const auto n = static_cast<double>(a.size());
  Means means{mean(a), mean(b), 0, 0, 0};
  double products = 0;
  for (std::size_t i = 0; i < a.size(); ++i) products += (a[i] - means.a) * (b[i] - means.b);
  means.variance_a = squares(a, means.a) / (n - 1) / n;
  means.variance_b = squares(b, means.b) / (n - 1) / n;
  means.covariance = products / (n - 1) / n;
  return fieller(means, n - 1, confidence);
}

Result<MeanRatio> unpaired_mean_ratio(std::span<const double> a, std::span<const double> b,
                                      double confidence) {
  if (a.size() < 2 || b.size() < 2)
    return failure("a ratio of means needs two values of each", "make more runs");
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  Means means{mean(a), mean(b), 0, 0, 0};
  means.variance_a = squares(a, means.a) / (n - 1) / n;
  means.variance_b = squares(b, means.b) / (m - 1) / m;
  const double ratio = means.a / means.b;
  const double first = means.variance_a;
  const double second = ratio * ratio * means.variance_b;
  const double both = first + second;
  const double freedom =
      both > 0 ? both * both / (first * first / (n - 1) + second * second / (m - 1)) : n + m - 2;
  return fieller(means, freedom, confidence);
}

}  // namespace prengdl
