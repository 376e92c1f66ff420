// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// The mid-ranks of a sample, doubled, so that they are whole numbers with ties too.
struct Ranks {
  std::vector<std::size_t> doubled;  // in the order of the values: 2 for the smallest, 2 n at most
  std::vector<std::size_t> groups;   // how many values are equal, from the smallest value up

  bool tied() const { return groups.size() < doubled.size(); }
  /// The sum of t^3 - t over groups of t equal values, the usual correction of a variance.
  double tie_cubes() const;
};

/// Needs finite values.
Ranks ranks_of(std::span<const double> values);

bool all_finite(std::span<const double> values);

/// The ranks of two samples whose values belong together, for a correlation. Refuses samples of
/// unequal size, fewer than two pairs, values that are not finite, and a sample of equal values.
Result<std::pair<Ranks, Ranks>> ranks_of_pairs(std::span<const double> x,
                                               std::span<const double> y);

}  // namespace prengdl
