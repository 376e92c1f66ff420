// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace prengdl
