// SPDX-License-Identifier: Apache-2.0
#include "stats/mixed.h"

#include <fmt/format.h>

#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <span>

namespace prengdl {
namespace {

/// The variance that a mean of one stratum's contrasts has, per run; coarse strata never have less
/// than finer ones.
struct StratumVariance {
  double variance = 0;
  double freedom = 0;
  bool pooled_with_finer = false;
};

/// The mean squares made to fall from coarse to fine: neighbours that do not are pooled, which is
/// the restricted maximum likelihood under that condition.
std::vector<StratumVariance> falling(const std::vector<AnovaStratum>& strata) {
  struct Pool {
    double squares = 0;
    double freedom = 0;
    std::size_t members = 0;
  };
  std::vector<Pool> pools;
  for (const auto& stratum : strata) {
    pools.push_back({stratum.sum_of_squares, stratum.freedom, 1});
    while (pools.size() > 1) {
      auto& coarse = pools[pools.size() - 2];
      const auto& fine = pools.back();
      if (coarse.squares / coarse.freedom > fine.squares / fine.freedom) break;
      coarse.squares += fine.squares;
      coarse.freedom += fine.freedom;
      coarse.members += fine.members;
      pools.pop_back();
    }
  }
  std::vector<StratumVariance> result;
  for (const auto& pool : pools)
    for (std::size_t i = 0; i < pool.members; ++i)
      result.push_back({pool.squares / pool.freedom, pool.freedom, i + 1 < pool.members});
  return result;
}

/// Without the groupings that have one group only.
FactorialData without_single_groups(const FactorialData& data, const BalancedLayout& layout) {
  FactorialData result = data;
  for (std::size_t k = layout.groupings(); k-- > 0;) {
    if (layout.groups(k) > 1) continue;
    const auto place = static_cast<std::ptrdiff_t>(k);
    result.groupings.erase(result.groupings.begin() + place);
    for (auto& run : result.runs) run.groups.erase(run.groups.begin() + place);
  }
  return result;
}

std::vector<VarianceComponent> components_of(const BalancedLayout& layout, const Anova& table,
                                             const std::vector<StratumVariance>& variances) {
  std::vector<VarianceComponent> result;
  double sum = 0;
  for (std::size_t k = 0; k < variances.size(); ++k) {
    VarianceComponent component;
    component.name = table.strata[k].name;
    component.variance = variances[k].variance;
    if (k < layout.groupings()) {
      const double size =
          static_cast<double>(layout.runs()) / static_cast<double>(layout.groups(k));
      component.variance = (variances[k].variance - variances[k + 1].variance) / size;
      component.set_to_zero = variances[k].pooled_with_finer;
    }
    sum += component.variance;
    result.push_back(std::move(component));
  }
  for (auto& component : result) component.share = component.variance / sum;
  return result;
}

FixedFactor fixed_factor(const AnovaTerm& term, double runs,
                         const std::vector<StratumVariance>& variances, double confidence) {
  FixedFactor result;
  result.name = term.name;
  result.stratum = term.stratum;
  const auto levels = static_cast<double>(term.means.size());
  const auto& own = variances[term.stratum];
  // A level's mean is the mean of all, which the coarsest stratum blurs, and the level's effect.
  const double of_mean = variances.front().variance / runs;
  const double of_effect = own.variance * (levels - 1) / runs;
  double freedom = own.freedom;
  if (&own != &variances.front())
    freedom = std::pow(of_mean + of_effect, 2) /
              (of_mean * of_mean / variances.front().freedom + of_effect * of_effect / own.freedom);
  const double error = std::sqrt(of_mean + of_effect);
  const double factor = std::exp(student_factor(confidence, freedom) * error);
  for (const double mean : term.means)
    result.means.push_back({mean, {mean / factor, mean * factor}, error, freedom});
  if (!term.p) return result;  // not randomised
  const double of_difference = std::sqrt(2 * own.variance * levels / runs);
  for (std::size_t a = 0; a < term.means.size(); ++a)
    for (std::size_t b = a + 1; b < term.means.size(); ++b) {
      LevelRatio ratio;
      ratio.a = a;
      ratio.b = b;
      ratio.ratio = log_ratio_of(std::log(term.means[a]) - std::log(term.means[b]), of_difference,
                                 own.freedom);
      ratio.interval = interval_of(ratio.ratio, confidence);
      result.ratios.push_back(ratio);
    }
  return result;
}

std::optional<Error> refusal(const BalancedLayout& layout, const Anova& table) {
  for (std::size_t k = 0; k < layout.groupings(); ++k)
    if (!layout.groups_are_equal(k))
      return Error(fmt::format("groups of {} have unequal numbers of runs", table.strata[k].name),
                   "leave out the groups that are not complete");
  for (const auto& stratum : table.strata)
    if (!stratum.mean_square)
      return Error(fmt::format("nothing is left to estimate the spread between {}s", stratum.name),
                   stratum.name == "run" ? "run each cell more often, or take fewer interactions"
                                         : "more groups are needed than levels vary between them");
  if (!(*table.strata.back().mean_square > 0))
    return Error("the model fits without any error, so there is no spread",
                 "A meter that does not change, or has too coarse steps, looks like this.");
  return std::nullopt;
}

}  // namespace

Result<MixedModel> mixed_model(const FactorialData& data, const MixedOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1))
    return failure("a confidence lies between 0 and 1");
  const auto all = BalancedLayout::of(data);
  if (!all) return tl::unexpected(all.error());
  const auto used = without_single_groups(data, *all);
  const auto layout = BalancedLayout::of(used);
  if (!layout) return tl::unexpected(layout.error());
  const auto table = anova(used, {.logs = true, .order = options.order});
  if (!table) return tl::unexpected(table.error());
  if (auto error = refusal(*layout, *table)) return tl::unexpected(std::move(*error));

  const auto variances = falling(table->strata);
  MixedModel model;
  model.mean = table->mean;
  model.confidence = options.confidence;
  model.components = components_of(*layout, *table, variances);
  const auto runs = static_cast<double>(layout->runs());
  for (const auto& term : table->terms) {
    if (term.factors.size() == 1)
      model.factors.push_back(fixed_factor(term, runs, variances, options.confidence));
    if (!term.p) continue;  // no factor of it was randomised
    const auto& error = variances[term.stratum];
    FixedTest test;
    test.name = term.name;
    test.freedom = term.freedom;
    test.error_freedom = error.freedom;
    test.f = term.sum_of_squares / term.freedom / error.variance;
    const boost::math::fisher_f distribution(test.freedom, test.error_freedom);
    test.p = boost::math::cdf(boost::math::complement(distribution, test.f));
    model.tests.push_back(std::move(test));
  }
  return model;
}

}  // namespace prengdl
