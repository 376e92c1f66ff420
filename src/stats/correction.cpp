// SPDX-License-Identifier: Apache-2.0
#include "stats/correction.h"

#include <algorithm>
#include <numeric>

namespace prengdl {
namespace {

/// The places of the p values from the smallest to the largest.
std::vector<std::size_t> ascending(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p_values) {
  const auto order = ascending(p_values);
  std::vector<double> corrected(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double factor = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, factor * p_values[order[rank]]));
    corrected[order[rank]] = largest;
  }
  return corrected;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  const auto order = ascending(p_values);
  std::vector<double> corrected(p_values.size());
  double smallest = 1;
  for (std::size_t rank = order.size(); rank-- > 0;) {
    const double factor = static_cast<double>(order.size()) / static_cast<double>(rank + 1);
    smallest = std::min(smallest, factor * p_values[order[rank]]);
    corrected[order[rank]] = smallest;
  }
  return corrected;
}

}  // namespace prengdl
