// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace prengdl {

/// In how many of the choices of m out of m + n ranks Mann and Whitney's U is 0, 1, .. `most`: the
/// coefficients of the Gaussian binomial [m + n over m]. Throws above 200 and 200.
std::vector<double> gaussian_binomial(std::size_t m, std::size_t n, std::size_t most);

/// All coefficients of [size over k] for k = 0, 1, .. `most_k`, at most size / 2; the other half is
/// the same turned around. Throws above 400.
std::vector<std::vector<double>> gaussian_binomials(std::size_t size, std::size_t most_k);

}  // namespace prengdl
