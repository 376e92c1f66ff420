// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"

namespace prengdl {

/// How far `a` lies above `b`, by Hodges and Lehmann (1963): the shift at which a rank test would
/// see no difference, and the interval of shifts that it would not reject. Where a rank test of the
/// same values is significant, the estimate has the direction of its statistic; with many ties or
/// zero differences it can be 0, which is no direction.
struct Shift {
  double estimate = 0;
  /// Absent where so few values cannot reach the confidence, whatever they are: below 6 pairs, or 4
  /// values on each side, for 95 %.
  std::optional<std::array<double, 2>> interval;
  /// What the interval really has, at least what was asked for (of "normal": about that).
  std::optional<double> confidence;
  std::string_view method;  // "exact" or "normal": the distribution behind the interval
};

/// The shift of pairs: the median of all means of two differences a[i] - b[i] (Walsh averages). The
/// interval inverts the signed-rank test: exact up to 200 pairs. With ties or zero differences it
/// is the closed interval by the distribution without ties, which then covers rather more than it
/// states (Noether 1967; Pratt and Gibbons 1981).
Result<Shift> paired_shift(std::span<const double> a, std::span<const double> b,
                           double confidence = 0.95);

/// The shift of independent samples: the median of all differences a[i] - b[j]. The interval
/// inverts the rank-sum test: exact up to 200 values on each side, with ties as above.
Result<Shift> unpaired_shift(std::span<const double> a, std::span<const double> b,
                             double confidence = 0.95);

}  // namespace prengdl
