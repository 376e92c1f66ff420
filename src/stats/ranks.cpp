// SPDX-License-Identifier: Apache-2.0
#include "stats/ranks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prengdl {

double Ranks::tie_cubes() const {
  double cubes = 0;
  for (const std::size_t group : groups) {
    const auto t = static_cast<double>(group);
    cubes += t * t * t - t;
  }
  return cubes;
}

Ranks ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  Ranks ranks;
  ranks.doubled.resize(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i) ranks.doubled[order[i]] = from + 1 + to;
    ranks.groups.push_back(to - from);
    from = to;
  }
  return ranks;
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

Result<std::pair<Ranks, Ranks>> ranks_of_pairs(std::span<const double> x,
                                               std::span<const double> y) {
  if (x.size() != y.size()) return failure("a correlation needs two samples of equal size");
  if (x.size() < 2) return failure("a correlation needs at least two pairs");
  if (!all_finite(x) || !all_finite(y)) return failure("a correlation needs finite values");
  std::pair ranks(ranks_of(x), ranks_of(y));
  if (ranks.first.groups.size() == 1 || ranks.second.groups.size() == 1)
    return failure("a sample of equal values has no correlation");
  return ranks;
}

}  // namespace prengdl
