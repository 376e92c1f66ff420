// SPDX-License-Identifier: Apache-2.0
#include "stats/summary.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace prengdl {

double mean(std::span<const double> values) {
  if (values.empty()) throw Error("a mean needs at least one value");
  const double first =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  // A second pass takes back what rounding lost in the sum.
  double rest = 0;
  for (const double value : values) rest += value - first;
  return first + rest / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) throw Error("a standard deviation needs at least two values");
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double median(std::span<const double> values) {
  if (values.empty()) throw Error("a median needs at least one value");
  std::vector<double> parted(values.begin(), values.end());
  const auto middle = parted.begin() + static_cast<std::ptrdiff_t>(parted.size() / 2);
  std::nth_element(parted.begin(), middle, parted.end());
  if (parted.size() % 2 == 1) return *middle;
  return (*std::max_element(parted.begin(), middle) + *middle) / 2;
}

double student_quantile(double probability, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability);
}

Summary summarise(std::span<const double> values) {
  Summary summary;
  summary.n = values.size();
  summary.mean = mean(values);
  summary.median = median(values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  summary.min = *low;
  summary.max = *high;
  if (summary.n < 2) return summary;
  summary.sd = standard_deviation(values);
  const auto n = static_cast<double>(summary.n);
  const double half = student_quantile(0.975, n - 1) * *summary.sd / std::sqrt(n);
  summary.ci95 = {summary.mean - half, summary.mean + half};
  return summary;
}

}  // namespace prengdl
