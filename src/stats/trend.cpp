// SPDX-License-Identifier: Apache-2.0
#include "stats/trend.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "stats/ranks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// Beyond these the slopes are not made one by one: their number grows with the square.
constexpr std::size_t most_made = 500;

/// The slopes of all pairs of points with different x, of which the k-th smallest can be asked for.
class Slopes {
 public:
  Slopes(std::span<const double> x, std::span<const double> y) {
    if (x.size() <= most_made) {
      make(x, y);
      return;
    }
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return x[i] < x[j]; });
    for (const std::size_t i : order) {
      x_.push_back(x[i]);
      y_.push_back(y[i]);
    }
    count_ = x.size() * (x.size() - 1) / 2;
    for (const std::size_t group : ranks_of(x).groups) count_ -= group * (group - 1) / 2;
    find_steepest();
  }

  std::size_t count() const { return count_; }

  /// The k-th smallest, from 0. Of many points it is found by bisection, to ten digits; what
  /// was counted on the way serves the next one as well.
  double at(std::size_t k) const {
    if (x_.empty()) return made_[k];
    double low = -steepest_, high = steepest_;
    for (const auto& [slope, count] : counted_) {
      if (count > k) {
        high = slope;
        break;
      }
      low = slope;
    }
    // Residuals are rounded, so that a slope of zero shows as one that is next to nothing.
    const double nothing = 4e-16 * steepest_;
    const auto is_far = [&] {
      return high - low > std::max(1e-13 * std::max(std::abs(low), std::abs(high)), nothing);
    };
    while (is_far()) {
      const double middle = std::midpoint(low, high);
      const std::size_t count = counted_[middle] = up_to(middle);
      (count > k ? high : low) = middle;
    }
    return std::abs(high) <= nothing ? 0 : high;
  }

 private:
  void make(std::span<const double> x, std::span<const double> y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = i + 1; j < x.size(); ++j)
        if (x[i] != x[j]) made_.push_back((y[j] - y[i]) / (x[j] - x[i]));
    std::sort(made_.begin(), made_.end());
    count_ = made_.size();
  }

  /// No pair is steeper than neighbours in x: the line between two points is a mean of these.
  void find_steepest() {
    std::size_t from = 0;
    std::array<double, 2> before{};  // the least and the most y at the x before
    for (std::size_t to = 0; from < x_.size(); from = to) {
      std::array<double, 2> here{y_[from], y_[from]};
      for (to = from; to < x_.size() && x_[to] == x_[from]; ++to)
        here = {std::min(here[0], y_[to]), std::max(here[1], y_[to])};
      if (from > 0) {
        const double apart = std::max(here[1] - before[0], before[1] - here[0]);
        steepest_ = std::max(steepest_, apart / (x_[from] - x_[from - 1]));
      }
      before = here;
    }
  }

  /// How many slopes are at most `slope`: pairs whose later point is not above the line of that
  /// slope through the earlier one. They are counted while the residuals are sorted by merging.
  std::size_t up_to(double slope) const {
    std::vector<double> residuals(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) residuals[i] = y_[i] - slope * x_[i];
    std::size_t found = 0;
    // Points above each other have no slope. In rising order none of them counts ...
    for (std::size_t from = 0, to = 0; from < x_.size(); from = to) {
      while (to < x_.size() && x_[to] == x_[from]) ++to;
      std::sort(residuals.begin() + static_cast<std::ptrdiff_t>(from),
                residuals.begin() + static_cast<std::ptrdiff_t>(to));
      // ... but those that are equal.
      for (std::size_t i = from, equal = 0; i < to; ++i) {
        equal = i > from && residuals[i] == residuals[i - 1] ? equal + 1 : 0;
        found -= equal;
      }
    }
    std::vector<double> merged(residuals.size());
    for (std::size_t width = 1; width < residuals.size(); width *= 2) {
      for (std::size_t begin = 0; begin < residuals.size(); begin += 2 * width)
        found += merge(residuals, merged, begin, width);
      residuals.swap(merged);
    }
    return found;
  }

  /// Merges two sorted neighbours of that width and counts the pairs of which the second is not
  /// larger.
  static std::size_t merge(const std::vector<double>& from, std::vector<double>& to,
                           std::size_t begin, std::size_t width) {
    const std::size_t middle = std::min(begin + width, from.size());
    const std::size_t end = std::min(begin + 2 * width, from.size());
    std::size_t found = 0, i = begin, j = middle;
    for (std::size_t out = begin; out < end; ++out) {
      if (j < end && (i == middle || from[j] <= from[i])) {
        found += middle - i;
        to[out] = from[j++];
      } else {
        to[out] = from[i++];
      }
    }
    return found;
  }

  std::vector<double> made_;   // all, sorted, of few points
  std::vector<double> x_, y_;  // in the order of x, of many
  std::size_t count_ = 0;
  double steepest_ = 0;
  mutable std::map<double, std::size_t> counted_;  // slopes that were tried
};

/// Sen's interval: the slopes at both ends of the score that Kendall's test would not reject.
std::optional<std::array<double, 2>> sen_interval(const Slopes& slopes, double n, double ties,
                                                  double confidence) {
  const double variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
  if (!(variance > 0)) return std::nullopt;
  const double reach =
      boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2) * std::sqrt(variance);
  const auto count = static_cast<double>(slopes.count());
  const double low = std::nearbyint((count - reach) / 2) - 1;
  const double high = std::nearbyint((count + reach) / 2);
  if (low < 0 || high > count - 1) return std::nullopt;
  return std::array{slopes.at(static_cast<std::size_t>(low)),
                    slopes.at(static_cast<std::size_t>(high))};
}

double tie_spread(const Ranks& ranks) {
  double spread = 0;
  for (const std::size_t group : ranks.groups) {
    const auto t = static_cast<double>(group);
    spread += t * (t - 1) * (2 * t + 5);
  }
  return spread;
}

}  // namespace

Result<Slope> theil_sen(std::span<const double> x, std::span<const double> y, double confidence) {
  if (x.size() != y.size()) return failure("a slope needs two samples of equal size");
  if (x.size() < 2) return failure("a slope needs at least two points");
  if (!all_finite(x) || !all_finite(y)) return failure("a slope needs finite values");
  if (!(confidence > 0 && confidence < 1))
    return failure("a confidence is a number between 0 and 1", "say 0.95 for 95 %");
  const Slopes slopes(x, y);
  if (slopes.count() == 0) return failure("points above each other have no slope");
  const std::size_t middle = slopes.count() / 2;
  Slope result;
  result.slope =
      slopes.count() % 2 == 1 ? slopes.at(middle) : (slopes.at(middle - 1) + slopes.at(middle)) / 2;
  result.intercept = median(y) - result.slope * median(x);
  result.interval = sen_interval(slopes, static_cast<double>(x.size()),
                                 tie_spread(ranks_of(x)) + tie_spread(ranks_of(y)), confidence);
  return result;
}

Result<Slope> theil_sen(std::span<const double> values, double confidence) {
  std::vector<double> order(values.size());
  std::iota(order.begin(), order.end(), 0.0);
  return theil_sen(order, values, confidence);
}

}  // namespace prengdl
