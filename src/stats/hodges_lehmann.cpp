// SPDX-License-Identifier: Apache-2.0
#include "stats/hodges_lehmann.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/rank_distribution.h"
#include "stats/rank_tests.h"
#include "stats/ranks.h"

namespace prengdl {
namespace {

/// Whole numbers in the order of the doubles that they stand for.
std::int64_t place_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}

double value_at(std::int64_t place) {
  return std::bit_cast<double>(place < 0 ? place ^ std::numeric_limits<std::int64_t>::max()
                                         : place);
}

/// All sums x[i] + y[j] of two sorted samples, without making them: how many there are up to a
/// limit takes one walk along both.
struct Sums {
  std::vector<double> x;
  std::vector<double> y;
  bool halves = false;  // y is x: only the sums with i <= j, each once

  std::size_t count() const { return halves ? x.size() * (x.size() + 1) / 2 : x.size() * y.size(); }

  std::size_t up_to(double limit) const {
    std::size_t found = 0;
    std::size_t j = y.size();
    for (const double value : x) {
      while (j > 0 && value + y[j - 1] > limit) --j;
      found += j;
    }
    if (!halves) return found;
    for (const double value : x) found += value + value <= limit ? 1 : 0;
    return found / 2;  // i < j was seen twice, i = j now too
  }

  /// The k-th smallest, from 1, to the last bit: bisection over all doubles.
  double smallest(std::size_t k) const {
    std::int64_t low = place_of(x.front() + y.front());
    std::int64_t high = place_of(x.back() + y.back());
    while (low < high) {
      const std::int64_t middle = std::midpoint(low, high);
      if (up_to(value_at(middle)) >= k)
        high = middle;
      else
        low = middle + 1;
    }
    return value_at(low) + 0.0;  // no negative zero
  }
};

/// The interval from the k-th smallest to the k-th largest misses with a chance of twice
/// P(T <= k - 1).
struct Ends {
  std::size_t k = 0;
  double miss = 1;
};

/// The largest k that misses no more often than `miss`; 0 if even the whole range does.
Ends exact_ends(const std::vector<double>& chances, double miss) {
  Ends ends;
  double tail = 0;
  for (const double chance : chances) {
    tail += chance;
    if (2 * tail > miss * (1 + 1e-12)) break;  // 1 - 0.95 is not quite 0.05
    ++ends.k;
    ends.miss = 2 * tail;
  }
  return ends;
}

Ends normal_ends(double mean, double spread, double miss) {
  const boost::math::normal normal;
  const double k = std::floor(mean + boost::math::quantile(normal, miss / 2) * spread + 0.5);
  return {static_cast<std::size_t>(std::max(0.0, k)), miss};
}

Shift conclude(const Sums& sums, const Ends& ends, std::string_view method) {
  Shift shift;
  const std::size_t count = sums.count();
  const double upper = sums.smallest(count / 2 + 1);
  shift.estimate = count % 2 == 1 ? upper : (sums.smallest(count / 2) + upper) / 2;
  shift.method = method;
  if (ends.k == 0) return shift;
  shift.interval = {sums.smallest(ends.k), sums.smallest(count + 1 - ends.k)};
  shift.confidence = 1 - ends.miss;
  return shift;
}

std::optional<Error> refused(std::span<const double> a, std::span<const double> b,
                             double confidence) {
  if (a.empty() || b.empty()) return Error("a shift needs two non-empty samples");
  if (!all_finite(a) || !all_finite(b)) return Error("a shift needs finite values");
  if (!(confidence > 0 && confidence < 1))
    return Error("a confidence is a number between 0 and 1", "say 0.95 for 95 %");
  return std::nullopt;
}

}  // namespace

Result<Shift> paired_shift(std::span<const double> a, std::span<const double> b,
                           double confidence) {
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  if (auto error = refused(a, b, confidence)) return tl::unexpected(std::move(*error));
  Sums sums;
  sums.halves = true;
  for (std::size_t i = 0; i < a.size(); ++i) sums.x.push_back((a[i] - b[i]) / 2);
  std::sort(sums.x.begin(), sums.x.end());
  sums.y = sums.x;
  if (a.size() <= largest_exact_rank_test)
    return conclude(
        sums, exact_ends(signed_rank_chances(a.size(), sums.count() / 2), 1 - confidence), "exact");
  const auto n = static_cast<double>(a.size());
  const double spread = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  return conclude(sums, normal_ends(n * (n + 1) / 4, spread, 1 - confidence), "normal");
}

Result<Shift> unpaired_shift(std::span<const double> a, std::span<const double> b,
                             double confidence) {
  if (auto error = refused(a, b, confidence)) return tl::unexpected(std::move(*error));
  Sums sums;
  sums.x.assign(a.begin(), a.end());
  for (const double value : b) sums.y.push_back(-value);
  std::sort(sums.x.begin(), sums.x.end());
  std::sort(sums.y.begin(), sums.y.end());
  if (std::max(a.size(), b.size()) <= largest_exact_rank_test)
    return conclude(
        sums, exact_ends(rank_sum_chances(a.size(), b.size(), sums.count() / 2), 1 - confidence),
        "exact");
  const auto m = static_cast<double>(a.size());
  const auto n = static_cast<double>(b.size());
  const double spread = std::sqrt(m * n * (m + n + 1) / 12);
  return conclude(sums, normal_ends(m * n / 2, spread, 1 - confidence), "normal");
}

}  // namespace prengdl
