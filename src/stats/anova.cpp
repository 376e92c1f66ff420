// SPDX-License-Identifier: Apache-2.0
#include "stats/anova.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

#include "stats/summary.h"

namespace prengdl {
namespace {

double sum_of_squares(std::span<const double> values) {
  double result = 0;
  for (const double value : values) result += value * value;
  return result;
}

constexpr double rounding = 1e-9;  // of a share that is 0 or 1 by design

/// The stratum in which a term varies; nothing if it is spread over several.
std::optional<std::size_t> stratum_of(const BalancedLayout& layout, const TermFactors& term) {
  for (std::size_t k = 0; k < layout.groupings(); ++k) {
    const double between = layout.between_groups(term, k);
    if (between > 1 - rounding) return k;
    if (between > rounding) return std::nullopt;
  }
  return layout.groupings();
}

/// The sums of squares and degrees of freedom of the strata, terms still in them.
std::vector<AnovaStratum> whole_strata(const BalancedLayout& layout, const FactorialData& data,
                                       std::span<const double> centred) {
  std::vector<AnovaStratum> strata;
  double squares = 0;
  std::size_t groups = 1;
  for (std::size_t k = 0; k < layout.groupings(); ++k) {
    const auto means = layout.group_means(centred, k);
    double here = 0;
    for (std::size_t run = 0; run < layout.runs(); ++run)
      here += std::pow(means[layout.group_of(run, k)], 2);
    AnovaStratum stratum;
    stratum.name = data.groupings[k];
    stratum.sum_of_squares = here - squares;
    stratum.freedom = static_cast<double>(layout.groups(k) - groups);
    strata.push_back(std::move(stratum));
    squares = here;
    groups = layout.groups(k);
  }
  AnovaStratum runs;
  runs.name = "run";
  runs.sum_of_squares = sum_of_squares(centred) - squares;
  runs.freedom = static_cast<double>(layout.runs() - groups);
  strata.push_back(std::move(runs));
  return strata;
}

bool any_randomised(const std::vector<VariedFactor>& factors, const TermFactors& term) {
  return std::any_of(term.begin(), term.end(),
                     [&](std::size_t f) { return factors[f].randomised; });
}

void test(AnovaTerm& term, const AnovaStratum& error, const std::vector<VariedFactor>& factors) {
  if (!any_randomised(factors, term.factors) || !error.mean_square) return;
  if (!(*error.mean_square > 0)) return;
  term.f = term.sum_of_squares / term.freedom / *error.mean_square;
  const boost::math::fisher_f distribution(term.freedom, error.freedom);
  term.p = boost::math::cdf(boost::math::complement(distribution, *term.f));
}

}  // namespace

Result<std::vector<double>> analysed_values(const FactorialData& data, bool logs) {
  std::vector<double> y;
  y.reserve(data.runs.size());
  for (std::size_t run = 0; run < data.runs.size(); ++run) {
    const double value = data.runs[run].value;
    if (logs && !(value > 0))
      return failure(fmt::format("run {} has {}, of which there is no logarithm", run + 1, value),
                     "leave the run out, or analyse without logs");
    y.push_back(logs ? std::log(value) : value);
  }
  return y;
}

std::vector<TermFactors> terms_within_groups(const BalancedLayout& layout, std::size_t order) {
  auto terms = layout.terms_up_to(order);
  std::erase_if(terms, [&](const TermFactors& term) {
    return stratum_of(layout, term) != layout.groupings();
  });
  return terms;
}

std::vector<double> residuals_from(const BalancedLayout& layout, std::span<const double> y,
                                   std::span<const TermFactors> terms) {
  std::vector<double> rest(y.begin(), y.end());
  if (layout.groupings() == 0) {
    const double centre = mean(y);
    for (double& value : rest) value -= centre;
  } else {
    const std::size_t finest = layout.groupings() - 1;
    const auto means = layout.group_means(y, finest);
    for (std::size_t run = 0; run < rest.size(); ++run)
      rest[run] -= means[layout.group_of(run, finest)];
  }
  for (const auto& term : terms) {
    const auto effects = layout.effects(rest, term);
    for (std::size_t run = 0; run < rest.size(); ++run)
      rest[run] -= effects[layout.combination(run, term)];
  }
  return rest;
}

Result<Anova> anova(const FactorialData& data, const AnovaOptions& options) {
  if (options.order < 1) return failure("an analysis of variance needs main effects");
  const auto layout = BalancedLayout::of(data);
  if (!layout) return tl::unexpected(layout.error());
  auto y = analysed_values(data, options.logs);
  if (!y) return tl::unexpected(y.error());
  const auto shown = [&](double value) { return options.logs ? std::exp(value) : value; };

  Anova result;
  result.logs = options.logs;
  const double centre = mean(*y);
  result.mean = shown(centre);
  for (double& value : *y) value -= centre;  // sums of squares lose no digits to the mean
  result.total = sum_of_squares(*y);
  if (!(result.total > 0)) return failure("all values are equal: no variation to share out");
  result.strata = whole_strata(*layout, data, *y);

  std::vector<TermFactors> within;
  for (const auto& factors : layout->terms_up_to(options.order)) {
    AnovaTerm term;
    term.factors = factors;
    term.name = term_name(data.factors, factors);
    term.freedom = layout->freedom(factors);
    const auto stratum = stratum_of(*layout, factors);
    if (!stratum)
      return failure(fmt::format("{} is partly confounded with the groups of {}", term.name,
                                 fmt::join(data.groupings, " or ")),
                     "each block must hold every level equally often, or one level only");
    term.stratum = *stratum;
    if (*stratum == layout->groupings()) within.push_back(factors);
    const auto effects = layout->effects(*y, factors);
    const double each = static_cast<double>(layout->runs()) / static_cast<double>(effects.size());
    term.sum_of_squares = sum_of_squares(effects) * each;
    term.share = term.sum_of_squares / result.total;
    for (const double effect : effects) term.effects.push_back(shown(effect));
    for (const double value : layout->means(*y, factors))
      term.means.push_back(shown(value + centre));
    auto& error = result.strata[term.stratum];
    error.sum_of_squares -= term.sum_of_squares;
    error.freedom -= term.freedom;
    result.terms.push_back(std::move(term));
  }
  result.residuals = residuals_from(*layout, *y, within);
  // By its own sum, not by what is left of the total: a small error keeps its digits.
  result.strata.back().sum_of_squares = sum_of_squares(result.residuals);
  for (auto& stratum : result.strata) {
    if (stratum.freedom < 0.5) {
      stratum.freedom = 0;
      stratum.sum_of_squares = 0;
      continue;
    }
    // Rounding may leave a trace on either side of zero.
    if (stratum.sum_of_squares < 1e-14 * result.total) stratum.sum_of_squares = 0;
    stratum.share = stratum.sum_of_squares / result.total;
    stratum.mean_square = stratum.sum_of_squares / stratum.freedom;
  }
  for (auto& term : result.terms) test(term, result.strata[term.stratum], data.factors);
  return result;
}

}  // namespace prengdl
