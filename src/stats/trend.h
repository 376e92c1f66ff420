// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"

namespace prengdl {

/// A straight line that outliers do not bend. Whether it rises at all: mann_kendall or kendall in
/// stats/correlation.h.
struct Slope {
  double slope = 0;      // of y per unit of x
  double intercept = 0;  // so that half of the values lie above the line
  /// Of the slope, at the confidence asked for; absent where so few values cannot give one.
  std::optional<std::array<double, 2>> interval;
};

/// Theil (1950) and Sen's slope (1968): the median over all pairs of points with different x. The
/// interval is Sen's, by the normal distribution of Kendall's score, corrected for ties. Beyond 500
/// points the slopes are found by bisection, to ten digits: the time grows as n log n and the
/// memory as n.
Result<Slope> theil_sen(std::span<const double> x, std::span<const double> y,
                        double confidence = 0.95);

/// The same for values taken one after another: the slope is per step, the first is at 0.
Result<Slope> theil_sen(std::span<const double> values, double confidence = 0.95);

/// Where a series seems to change its level, and whether it does.
struct LevelChange {
  std::string_view test;   // "Pettitt, exact" or "Pettitt, approximate"
  std::size_t before = 0;  // values before the change, at least one
  double statistic = 0;    // K: the largest difference of wins and losses over all cuts
  double p = 1;
  double published_p = 1;  // by Pettitt's own formula, for comparison with other programs
};

/// Pettitt's test (1979) of a change of level at an unknown place in independent values: the
/// largest |U| of Mann and Whitney over all cuts. A trend is seen as a change as well. The p is
/// exact up to 20 values, with ties too: all orders are counted. Beyond that it is 2 exp(-2 x^2),
/// where x is K in units of sqrt((n^3 + n^2) / 3), plus 0.5826 / sqrt(n) because only n - 1 cuts
/// are examined (Siegmund 1985, Sequential Analysis). In simulations that is 1.1 times the true p
/// at 0.05 and 30 values, 1.4 times at 0.01, and nearer with more values. Pettitt's own formula
/// lacks the last term: 2.1 and 3.3 times.
Result<LevelChange> pettitt(std::span<const double> values);

}  // namespace prengdl
