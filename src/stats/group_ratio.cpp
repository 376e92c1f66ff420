// SPDX-License-Identifier: Apache-2.0
#include "stats/group_ratio.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace prengdl {
namespace {

/// Weights that sum to one; equal where none are given.
Result<std::vector<double>> shares(std::span<const double> weights, std::size_t cases) {
  if (weights.empty()) return std::vector<double>(cases, 1 / static_cast<double>(cases));
  if (weights.size() != cases) return failure("each case needs one weight");
  for (const double weight : weights)
    if (!(weight > 0) || !std::isfinite(weight)) return failure("a weight must be above zero");
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> result(weights.begin(), weights.end());
  for (double& weight : result) weight /= total;
  return result;
}

double weighted_mean(const std::vector<double>& values, const std::vector<double>& weights) {
  return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
}

}  // namespace

Result<LogRatio> ratio_over_cases(std::span<const double> ratios, std::span<const double> weights) {
  if (ratios.size() < 2)
    return failure("an interval over cases needs at least two of them",
                   "take the interval of this one case, from its runs");
  const auto logs = logs_of(ratios);
  if (!logs) return tl::unexpected(logs.error());
  const auto w = shares(weights, ratios.size());
  if (!w) return tl::unexpected(w.error());
  const double centre = weighted_mean(*logs, *w);
  double squares = 0;
  for (std::size_t i = 0; i < w->size(); ++i)
    squares += (*w)[i] * ((*logs)[i] - centre) * ((*logs)[i] - centre);
  const auto freedom = static_cast<double>(ratios.size() - 1);
  return log_ratio_of(centre, std::sqrt(squares / freedom), freedom);
}

Result<LogRatio> ratio_of_these_cases(std::span<const LogRatio> cases,
                                      std::span<const double> weights) {
  if (cases.empty()) return failure("a group needs at least one case");
  const auto w = shares(weights, cases.size());
  if (!w) return tl::unexpected(w.error());
  double centre = 0;
  double variance = 0;
  double of_variance = 0;  // the variance of that variance, halved
  double freedom = 0;
  bool paired = true;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!(cases[i].ratio > 0)) return failure("a ratio needs values above zero");
    centre += (*w)[i] * std::log(cases[i].ratio);
    const double part = std::pow((*w)[i] * cases[i].standard_error, 2);
    variance += part;
    if (part > 0) of_variance += part * part / cases[i].freedom;
    freedom += cases[i].freedom;
    paired = paired && cases[i].paired;
  }
  if (variance > 0) freedom = variance * variance / of_variance;
  LogRatio result = log_ratio_of(centre, std::sqrt(variance), freedom);
  result.paired = paired;
  return result;
}

}  // namespace prengdl
