// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace prengdl {

/// Figures of one sample. What needs more values than there are is absent.
struct Summary {
  std::size_t n = 0;
  double mean = 0;
  std::optional<double> sd;  // of the sample, n - 1
  double median = 0;
  double min = 0;
  double max = 0;
  std::optional<std::array<double, 2>> ci95;  // of the mean, by Student's t
};

/// Throws on an empty sample.
Summary summarise(std::span<const double> values);

double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);  // needs two values
double median(std::span<const double> values);

/// The quantile of Student's t distribution, e.g. probability 0.975.
double student_quantile(double probability, double degrees_of_freedom);

}  // namespace prengdl
