// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace prengdl {

/// Ratios on a logarithmic axis that has 1 on it, as percentages of its width. Intervals that are
/// far wider than the ratios themselves go beyond it, and are drawn with an open end.
class RatioScale {
 public:
  void take(double ratio) {
    if (!(ratio > 0)) return;
    low_ = std::min(low_, ratio);
    high_ = std::max(high_, ratio);
  }

  /// After all ratios.
  void take_interval(const std::array<double, 2>& interval) {
    if (interval[0] > 0) wide_low_ = std::min(wide_low_, interval[0]);
    wide_high_ = std::max(wide_high_, interval[1]);
  }

  double at(double ratio) const {
    const double place = (std::log(ratio) - std::log(from())) / (std::log(to()) - std::log(from()));
    return std::clamp(place, 0.0, 1.0) * 100;
  }
  bool is_beyond(double ratio) const { return ratio < from() || ratio > to(); }

  /// Round numbers on the axis, at least so many percent of its width from each other.
  std::vector<double> ticks(double nearest) const {
    static constexpr std::array<double, 5> near{0.9, 0.95, 1, 1.05, 1.1};
    static constexpr std::array<double, 7> middle{0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5};
    static constexpr std::array<double, 9> far{0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3};
    static constexpr std::array<double, 9> wider{0.2, 0.33, 0.5, 0.67, 1, 1.5, 2, 3, 5};
    static constexpr std::array<double, 9> farther{0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20};
    static constexpr std::array<double, 9> farthest{1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1e3, 1e4};
    const double reach = std::max(to(), 1 / from());
    std::span<const double> all = farthest;
    if (reach < 30) all = farther;
    if (reach < 7) all = wider;
    if (reach < 3.5) all = far;
    if (reach < 1.6) all = middle;
    if (reach < 1.13) all = near;
    std::vector<double> chosen{1};
    for (const double tick : all)
      if (!is_beyond(tick) && at(tick) > 1 && at(tick) < 99 &&
          std::none_of(chosen.begin(), chosen.end(),
                       [&](double one) { return std::fabs(at(one) - at(tick)) < nearest; }))
        chosen.push_back(tick);
    return chosen;
  }

 private:
  static constexpr double room = 1.03;        // on both sides
  static constexpr double most_beyond = 2.5;  // of an interval, as a factor
  double from() const { return std::max(wide_low_, low_ / most_beyond) / room; }
  double to() const { return std::min(wide_high_, high_ * most_beyond) * room; }

  double low_ = 1, high_ = 1;
  double wide_low_ = 1, wide_high_ = 1;
};

}  // namespace prengdl
