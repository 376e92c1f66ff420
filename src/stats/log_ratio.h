// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "base/error.h"

namespace prengdl {

/// The ratio of two geometric means with its 95 % interval and two-sided p, on logarithms.
struct LogRatio {
  double ratio = 1;
  std::array<double, 2> ci95{};
  double p = 1;
  bool paired = false;
};

/// a[i] and b[i] belong together (the same block): Student's t on the differences of logs.
Result<LogRatio> paired_log_ratio(std::span<const double> a, std::span<const double> b);

/// Independent samples: Welch's t on logs, with Satterthwaite's degrees of freedom.
Result<LogRatio> unpaired_log_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace prengdl
