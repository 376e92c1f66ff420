// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// Whether samples are equally spread: an F (Bartlett: chi squared), its degrees of freedom, p.
struct SpreadTest {
  std::string_view test;  // "Brown-Forsythe", "Bartlett"
  double statistic = 0;
  double between = 0;  // degrees of freedom
  double within = 0;   // none for Bartlett's
  double p = 1;
};

/// Levene's test about medians (Brown and Forsythe 1974): an analysis of variance of the distances
/// from the sample's own median. Keeps its level for values that are not normal; with small samples
/// of odd size it is rather too careful. Refuses fewer than two samples, a sample of fewer than
/// three (two are always equally far from their median), and samples without any spread.
Result<SpreadTest> brown_forsythe(std::span<const std::vector<double>> samples);

/// Bartlett's test (1937): sharper for normal values, and wrong for others. Needs two values in
/// each sample, and no sample without spread.
Result<SpreadTest> bartlett(std::span<const std::vector<double>> samples);

/// How much more variable `a` is than `b`, on logs: the ratio of standard deviations of the
/// logarithms (for small spreads the ratio of coefficients of variation), with interval and p.
struct SpreadRatio {
  std::string_view test;  // "F", "Pitman-Morgan"
  double ratio = 1;       // sd(log a) / sd(log b)
  std::array<double, 2> interval{};
  double confidence = 0.95;
  double p = 1;  // two-sided, normal logs
};

/// Independent samples: the F test of two variances. Trust it for values that are log-normal only;
/// brown_forsythe of the logs stands beside it for others.
Result<SpreadRatio> spread_ratio(std::span<const double> a, std::span<const double> b,
                                 double confidence = 0.95);

/// a[i] and b[i] belong to one block: the test of Pitman and Morgan (1939), by the correlation of
/// sums and differences. Needs three pairs.
Result<SpreadRatio> paired_spread_ratio(std::span<const double> a, std::span<const double> b,
                                        double confidence = 0.95);

}  // namespace prengdl
