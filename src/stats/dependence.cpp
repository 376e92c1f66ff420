// SPDX-License-Identifier: Apache-2.0
#include "stats/dependence.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr std::size_t fewest_for_autocorrelation = 6;
constexpr double largest_autocorrelation = 0.95;
// One-sided normal quantiles. Correcting only what is shown keeps the power of clean studies:
// simulations with one to six cases and 6 to 30 pairs are in docs/explanation/verdicts.md.
constexpr double shown_in_family = 1.2816;  // 0.9
constexpr double shown_in_series = 2.3263;  // 0.99

struct Autocorrelation {
  double value = 0;
  double variance = 0;  // if the values were independent
};

std::optional<Autocorrelation> autocorrelation(std::span<const double> values) {
  if (values.size() < fewest_for_autocorrelation) return std::nullopt;
  const double centre = mean(values);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - centre) * (values[i] - centre);
    if (i > 0) products += (values[i] - centre) * (values[i - 1] - centre);
  }
  const auto n = static_cast<double>(values.size());
  if (!(std::sqrt(squares / n) > 1e-14 * std::max(1.0, std::abs(centre)))) return std::nullopt;
  // The expected value is about r - (1 + 4 r) / n.
  return Autocorrelation{(n * products / squares + 1) / (n - 4),
                         (n - 2) * (n - 2) / ((n - 1) * (n - 4) * (n - 4))};
}

}  // namespace

Dependence dependence(std::span<const std::vector<double>> series) {
  std::vector<std::optional<Autocorrelation>> found;
  double sum = 0;
  double weights = 0;
  for (const auto& values : series) {
    found.push_back(autocorrelation(values));
    if (!found.back()) continue;
    sum += found.back()->value / found.back()->variance;
    weights += 1 / found.back()->variance;
  }
  Dependence result;
  if (weights > 0) result.pooled = std::clamp(sum / weights, -1.0, largest_autocorrelation);
  result.shown = weights > 0 && result.pooled > shown_in_family / std::sqrt(weights);
  for (const auto& own : found) {
    double used = result.shown ? result.pooled : 0;
    if (own && own->value > shown_in_series * std::sqrt(own->variance))
      used = std::max(used, std::min(own->value, largest_autocorrelation));
    result.of_series.push_back(used);
  }
  return result;
}

double effective_n(std::size_t n, double correlation) {
  const auto all = static_cast<double>(n);
  if (!(correlation > 0)) return all;
  return std::clamp(all * (1 - correlation) / (1 + correlation), std::min(2.0, all), all);
}

}  // namespace prengdl
