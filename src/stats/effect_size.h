// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>

#include "base/error.h"

namespace prengdl {

/// How often values of one sample exceed those of another, in two scales, each with its interval.
struct EffectSize {
  double a12 = 0.5;  // Vargha and Delaney (2000): P(a > b), ties counting half
  double delta = 0;  // Cliff (1993): P(a > b) - P(a < b), which is 2 A12 - 1
  std::optional<std::array<double, 2>> a12_interval;  // absent below two values on each side
  std::optional<std::array<double, 2>> delta_interval;
};

/// The effect size of independent samples. The interval of delta is the asymmetric one of Feng and
/// Cliff (2004, Journal of Modern Applied Statistical Methods 3), from Cliff's consistent estimate
/// of the variance and Student's t on m + n - 2 degrees; where the samples do not overlap, the end
/// at 1 comes with (n - z^2) / (n + z^2), n being the smaller size. A12 has the same interval, in
/// its own scale. In simulations of normal, rounded and two-peaked values, from 3 to 30 on each
/// side, 95 % intervals held the truth in 91 to 100 %, the more the fewer values; in 87 % at worst,
/// where ten values with four times the spread met thirty.
Result<EffectSize> effect_size(std::span<const double> a, std::span<const double> b,
                               double confidence = 0.95);

}  // namespace prengdl
