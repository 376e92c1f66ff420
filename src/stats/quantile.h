// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// A quantile of a sample, by one of the nine definitions of Hyndman and Fan (1996), numbered as
/// there and in R: 7, R's and NumPy's default, goes straight from order statistic to order
/// statistic; 1 is the inverse of the empirical distribution; 8 is what the authors advise.
Result<double> quantile(std::span<const double> values, double probability, int type = 7);

/// A value far from the others.
struct Outlier {
  std::size_t index = 0;
  double value = 0;
  double score = 0;  // distance to the median in robust standard deviations, with its sign
};

struct Outliers {
  double median = 0;
  double spread = 0;  // what a score of 1 is
  std::vector<Outlier> found;
};

/// Values whose modified z score exceeds the threshold (Iglewicz and Hoaglin 1993, who take 3.5):
/// distance to the median over 1.4826 times the median absolute deviation, which estimates the
/// standard deviation of normal values. Where more than half of the values are equal that is 0, and
/// 1.2533 times the mean absolute deviation takes its place, as they say.
Result<Outliers> mad_outliers(std::span<const double> values, double threshold = 3.5);

}  // namespace prengdl
