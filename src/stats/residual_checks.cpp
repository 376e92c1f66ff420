// SPDX-License-Identifier: Apache-2.0
#include "stats/residual_checks.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace prengdl {
namespace {

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// How many independent residuals the means of the finest groups and these terms leave.
double residual_freedom(const BalancedLayout& layout, std::span<const TermFactors> terms) {
  const std::size_t groups = layout.groupings() == 0 ? 1 : layout.groups(layout.groupings() - 1);
  auto freedom = static_cast<double>(layout.runs() - groups);
  for (const auto& term : terms) freedom -= layout.freedom(term);
  return freedom;
}

std::optional<AdditivityTest> additivity(const BalancedLayout& layout, std::span<const double> y) {
  const auto mains = terms_within_groups(layout, 1);
  const double freedom = residual_freedom(layout, mains) - 1;
  if (freedom < 1) return std::nullopt;
  const auto rest = residuals_from(layout, y, mains);
  std::vector<double> fitted_squared;
  for (std::size_t i = 0; i < y.size(); ++i)
    fitted_squared.push_back((y[i] - rest[i]) * (y[i] - rest[i]));
  // What of the squares is not itself a sum of main effects: the direction of non-additivity.
  const auto direction = residuals_from(layout, fitted_squared, mains);
  const double length = product(direction, direction);
  const double scale = product(fitted_squared, fitted_squared);
  if (!(length > 1e-20 * scale)) return std::nullopt;  // one factor and no groups
  const double along = std::pow(product(rest, direction), 2) / length;
  const double error = product(rest, rest) - along;
  if (!(error > 0)) return std::nullopt;
  AdditivityTest result;
  result.freedom = freedom;
  result.f = along / (error / freedom);
  const boost::math::fisher_f distribution(1, freedom);
  result.p = boost::math::cdf(boost::math::complement(distribution, result.f));
  return result;
}

std::optional<SpreadTest> spread_between_cells(const BalancedLayout& layout,
                                               std::span<const double> y) {
  if (layout.runs_per_cell() < 2) return std::nullopt;
  // Two runs are equally far from the mean of their group: their spreads look the same always.
  if (layout.groupings() > 0 && layout.runs() < 3 * layout.groups(layout.groupings() - 1))
    return std::nullopt;
  // Without the groups' means; the cells' own means do not matter here.
  const auto inside = residuals_from(layout, y, {});
  std::vector<std::vector<double>> cells(layout.cells());
  for (std::size_t run = 0; run < inside.size(); ++run)
    cells[layout.cell_of_run()[run]].push_back(inside[run]);
  const auto tested = layout.runs_per_cell() < 3 ? bartlett(cells) : brown_forsythe(cells);
  return tested ? std::optional(*tested) : std::nullopt;
}

struct Residuals {
  BalancedLayout layout;
  std::vector<double> y;
  std::vector<double> rest;
  double freedom = 0;
};

Result<Residuals> residuals_on(const FactorialData& data, const AnovaOptions& options) {
  auto layout = BalancedLayout::of(data);
  if (!layout) return tl::unexpected(layout.error());
  auto y = analysed_values(data, options.logs);
  if (!y) return tl::unexpected(y.error());
  const auto terms = terms_within_groups(*layout, options.order);
  auto rest = residuals_from(*layout, *y, terms);
  const double freedom = residual_freedom(*layout, terms);
  return Residuals{std::move(*layout), std::move(*y), std::move(rest), freedom};
}

ResidualChecks checks_of(const Residuals& residuals) {
  ResidualChecks checks;
  if (residuals.freedom >= 1)
    if (const auto tested = shapiro_wilk(residuals.rest)) checks.normality = *tested;
  checks.spread = spread_between_cells(residuals.layout, residuals.y);
  checks.additivity = additivity(residuals.layout, residuals.y);
  return checks;
}

}  // namespace

Result<ResidualChecks> residual_checks(const FactorialData& data, const AnovaOptions& options) {
  const auto residuals = residuals_on(data, options);
  if (!residuals) return tl::unexpected(residuals.error());
  return checks_of(*residuals);
}

Result<ScaleAdvice> scale_advice(const FactorialData& data, const AnovaOptions& options) {
  AnovaOptions on = options;
  on.logs = true;
  const auto logs = residuals_on(data, on);
  if (!logs) return tl::unexpected(logs.error());
  on.logs = false;
  const auto raw = residuals_on(data, on);
  if (!raw) return tl::unexpected(raw.error());
  const double of_logs = product(logs->rest, logs->rest);
  const double of_raw = product(raw->rest, raw->rest);
  if (logs->freedom < 1 || !(of_logs > 0) || !(of_raw > 0))
    return failure("the model leaves no residuals to judge the scale by",
                   "run each cell more than once, or look at smaller interactions");
  ScaleAdvice advice;
  const auto n = static_cast<double>(raw->y.size());
  const double jacobian = std::accumulate(logs->y.begin(), logs->y.end(), 0.0);
  advice.gain = n / 2 * (std::log(of_raw) - std::log(of_logs)) - jacobian;
  constexpr double noticeable = 1.9207294103470620;  // half the 95 % point of chi squared
  if (advice.gain > noticeable) advice.better = Scale::logs;
  if (advice.gain < -noticeable) advice.better = Scale::raw;
  const auto [low, high] = std::minmax_element(raw->y.begin(), raw->y.end());
  advice.largest_over_smallest = *high / *low;
  advice.logs = checks_of(*logs);
  advice.raw = checks_of(*raw);
  return advice;
}

}  // namespace prengdl
