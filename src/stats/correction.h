// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace prengdl {

/// Holm's step-down correction (1979) of a family of p values, in their order. Each is at least its
/// own p and at most 1.
std::vector<double> holm(std::span<const double> p_values);

/// Benjamini and Hochberg's step-up correction (1995): what is then below alpha has an expected
/// share of false discoveries below alpha, if the tests are independent or positively dependent.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace prengdl
