// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stats/ranks.h"
#include "stats/trend.h"

namespace prengdl {
namespace {

constexpr std::size_t largest_enumerated = 20;  // 20! is the last that 64 bits hold

/// The share of all n! orders whose largest |U| is `reached` or more. Whether an order stays below
/// does not depend on how the values before a cut are arranged, so the 2^n sets that can stand
/// before one are counted.
double exact_p(const std::vector<std::int64_t>& scores, std::int64_t reached) {
  const std::size_t n = scores.size();
  std::vector<std::uint64_t> orders(std::size_t{1} << n, 0);  // of this set, all cuts below
  std::vector<std::int64_t> sums(orders.size(), 0);
  orders[0] = 1;
  std::uint64_t all = 1;
  for (std::uint64_t i = 2; i <= n; ++i) all *= i;
  for (std::size_t set = 1; set < orders.size(); ++set) {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(set));
    sums[set] = sums[set & (set - 1)] + scores[lowest];
    if (std::abs(sums[set]) >= reached) continue;
    for (std::size_t rest = set; rest != 0; rest &= rest - 1)
      orders[set] += orders[set ^ (rest & (~rest + 1))];
  }
  return static_cast<double>(all - orders.back()) / static_cast<double>(all);
}

}  // namespace

Result<LevelChange> pettitt(std::span<const double> values) {
  if (values.size() < 2) return failure("a change of level needs at least two values");
  if (!all_finite(values)) return failure("a change of level needs finite values");
  const auto size = static_cast<std::int64_t>(values.size());
  // U of the first t against the others is the sum of their doubled ranks less t (n + 1).
  std::vector<std::int64_t> scores;
  for (const std::size_t rank : ranks_of(values).doubled)
    scores.push_back(static_cast<std::int64_t>(rank) - (size + 1));
  std::int64_t largest = -1;
  std::int64_t sum = 0;
  LevelChange change;
  for (std::size_t i = 0; i + 1 < scores.size(); ++i) {
    sum += scores[i];
    if (std::abs(sum) <= largest) continue;
    largest = std::abs(sum);
    change.before = i + 1;
  }
  change.statistic = static_cast<double>(largest);
  const auto n = static_cast<double>(size);
  const double x = change.statistic / std::sqrt(n * n * (n + 1) / 3);
  change.published_p = std::min(1.0, 2 * std::exp(-2 * x * x));
  if (values.size() <= largest_enumerated) {
    change.test = "Pettitt, exact";
    change.p = largest == 0 ? 1 : exact_p(scores, largest);
    return change;
  }
  change.test = "Pettitt, approximate";
  const double between_cuts = x + 0.5826 / std::sqrt(n);
  change.p = largest == 0 ? 1 : std::min(1.0, 2 * std::exp(-2 * between_cuts * between_cuts));
  return change;
}

}  // namespace prengdl
