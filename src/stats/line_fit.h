// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "base/error.h"

namespace prengdl {

/// A straight line through points by least squares, and Pearson's correlation.
struct LineFit {
  std::size_t n = 0;
  double slope = 0;
  double intercept = 0;
  std::optional<std::array<double, 2>> slope_ci95;  // Student's t, n - 2 degrees: from 3 points on
  std::optional<double> pearson;                    // nothing where all y are equal
};

/// Refuses fewer than two points, values that are not finite, and x that are all equal.
Result<LineFit> fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace prengdl
