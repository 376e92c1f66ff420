// SPDX-License-Identifier: Apache-2.0
#include "stats/value_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr double steps_that_matter = 1000;  // in the range of the values
constexpr double convincing_chance = 0.01;

/// The largest power of ten of which all values are multiples: how they were printed.
std::optional<double> printed_unit(std::span<const double> values, double range) {
  const double largest =
      std::abs(*std::ranges::max_element(values, {}, [](double value) { return std::abs(value); }));
  for (int exponent = static_cast<int>(std::floor(std::log10(range)));
       std::pow(10, exponent) > range / (steps_that_matter * 1000); --exponent) {
    const double unit = std::pow(10, exponent);
    if (std::ranges::all_of(values, [&](double value) {
          return std::abs(value - std::round(value / unit) * unit) <= 1e-12 * largest;
        }))
      return unit;
  }
  return std::nullopt;
}

/// Distances between neighbouring distinct values.
std::vector<double> gaps_of(std::vector<double> values) {
  std::ranges::sort(values);
  const double least = 1e-12 * std::max(std::abs(values.front()), std::abs(values.back()));
  std::vector<double> gaps;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] - values[i - 1] > least) gaps.push_back(values[i] - values[i - 1]);
  return gaps;
}

/// The chance that gaps which know nothing of the step lie on it as well as these, with as many
/// ties; 1 if they do not lie on it. `unit`: the precision of the values.
double chance_of_step(double step, std::span<const double> gaps, std::size_t ties, double unit) {
  const double smallest = *std::ranges::min_element(gaps);
  double chance = smallest / step;  // so many steps were tried before this one
  bool was_smallest = false;
  for (const double gap : gaps) {
    // The step comes from the smallest gap, which is known to within a unit, as this one is.
    const double tolerance = unit * (1 + gap / smallest) * (1 + 1e-6);
    if (std::abs(gap - std::round(gap / step) * step) > tolerance) return 1;
    if (gap == smallest && !was_smallest)
      was_smallest = true;
    else
      chance *= std::min(1.0, (2 * tolerance + unit) / step);
  }
  return chance * std::pow(std::min(1.0, unit / step), static_cast<double>(ties));
}

/// A multiple of the unit on which all values lie exactly.
double exact_step(std::span<const double> gaps, std::size_t ties, double unit) {
  long long common = 0;
  for (const double gap : gaps) common = std::gcd(common, std::llround(gap / unit));
  const auto evidence = static_cast<double>(gaps.size() - 1 + ties);
  return std::pow(static_cast<double>(common), -evidence) < convincing_chance
             ? static_cast<double>(common) * unit
             : unit;
}

}  // namespace

std::optional<double> value_step(std::span<const double> values) {
  if (values.size() < 3) return std::nullopt;
  const std::vector<double> gaps = gaps_of({values.begin(), values.end()});
  if (gaps.empty()) return std::nullopt;
  const double range = std::accumulate(gaps.begin(), gaps.end(), 0.0);
  const std::size_t ties = values.size() - 1 - gaps.size();
  const auto printed = printed_unit(values, range);
  const double unit = printed.value_or(range / (steps_that_matter * 1000));
  const double finest = std::max(range / steps_that_matter, printed ? 5 * unit : 0);
  double step = printed ? exact_step(gaps, ties, unit) : 0;
  const double smallest = *std::ranges::min_element(gaps);
  for (double parts = 1; smallest / parts >= finest && smallest / parts > step; ++parts)
    if (chance_of_step(smallest / parts, gaps, ties, unit) < convincing_chance)
      step = smallest / parts;
  if (step * steps_that_matter < range) return std::nullopt;
  return step;
}

double rounding_variance(std::span<const double> logs, double relative_step) {
  if (!(relative_step > 0)) return 0;
  const double whole = relative_step * relative_step / 12;
  const double sd = logs.size() < 2 ? 0 : standard_deviation(logs);
  const double scatter = (sd * sd - whole) / (relative_step * relative_step);  // Sheppard (1898)
  if (!(scatter > 0)) return whole;
  // The Fourier series of the bias (Widrow and Kollar 2008, Quantization Noise), squared.
  const double pi2 = std::numbers::pi * std::numbers::pi;
  double share = 0;
  for (int k = 1; k <= 100; ++k) share += std::exp(-4 * pi2 * k * k * scatter) / (k * k);
  return whole * share * 6 / pi2;
}

}  // namespace prengdl
