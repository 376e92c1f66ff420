// SPDX-License-Identifier: Apache-2.0
#include "conclude/ratio_estimate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "stats/group_effect.h"
#include "stats/hodges_lehmann.h"
#include "stats/rank_sum.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"
#include "stats/trimmed.h"

namespace prengdl {
namespace {

/// Both samples as logarithms.
Result<TwoSamples> logs_of_both(const TwoSamples& samples) {
  auto a = logs_of(samples.a);
  auto b = logs_of(samples.b);
  if (!a || !b) return failure("a figure is not above zero, so it has no logarithm and no ratio");
  return TwoSamples{std::move(*a), std::move(*b), samples.machines_a, samples.machines_b};
}

/// Of one machine.
Result<LogRatio> simple_log_ratio(const TwoSamples& samples, const ValueFacts& facts) {
  return facts.is_paired ? paired_log_ratio(samples.a, samples.b, facts.sample)
                         : unpaired_log_ratio(samples.a, samples.b, facts.sample);
}

/// The runs of each machine that measured both levels.
std::vector<TwoSamples> by_machine(const TwoSamples& samples) {
  std::vector<TwoSamples> parts;
  for (const auto& machine : common_machines(samples))
    parts.push_back(on_machine(samples, machine));
  return parts;
}

/// What divides the variance of a run, or of a pair, in that of a ratio.
double inverse_runs(const TwoSamples& part, bool is_paired) {
  const double a = 1 / static_cast<double>(part.a.size());
  return is_paired ? a : a + 1 / static_cast<double>(part.b.size());
}

/// The ratio on each machine. One with too few runs for an error of its own has that of all others
/// together; if none has one, the standard errors are 0. Values need logarithms.
std::vector<LogRatio> ratios_on(const std::vector<TwoSamples>& parts, const ValueFacts& facts) {
  std::vector<LogRatio> ratios;
  double squares = 0;
  double freedom = 0;
  for (const auto& part : parts) {
    LogRatio& one = ratios.emplace_back();
    if (const auto known = simple_log_ratio(part, facts)) {
      one = *known;
      squares +=
          one.freedom * std::pow(one.standard_error, 2) / inverse_runs(part, facts.is_paired);
      freedom += one.freedom;
    } else {
      one.ratio = plain_ratio(part).value_or(0);
    }
  }
  if (!(squares > 0)) return ratios;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (ratios[i].standard_error > 0) continue;
    ratios[i].standard_error =
        std::sqrt(squares / freedom * inverse_runs(parts[i], facts.is_paired));
    ratios[i].freedom = freedom;
  }
  return ratios;
}

/// Machines as a random effect. Without any spread on machines that could show some, the meter's
/// step hides it, and there is no test.
Result<GroupedRatio> over_machines(const std::vector<TwoSamples>& parts, const ValueFacts& facts) {
  const auto ratios = ratios_on(parts, facts);
  if (!(ratios.front().standard_error > 0))
    for (const auto& part : parts)
      if (part.a.size() > 1 && part.b.size() > 1)
        return tl::unexpected(simple_log_ratio(part, facts).error());
  auto grouped = ratio_over_groups(ratios);
  if (grouped) grouped->ratio.paired = facts.is_paired;
  return grouped;
}

std::vector<double> shifted(std::vector<double> logs, double by) {
  for (double& value : logs) value += by;
  return logs;
}

Result<RankTest> rank_test(const std::vector<double>& a, const std::vector<double>& b,
                           const ValueFacts& facts, Alternative alternative) {
  return facts.is_paired ? signed_rank(a, b, alternative)
                         : rank_sum(a, b, alternative, facts.largest_exact_tied);
}

}  // namespace

std::optional<double> plain_ratio(const TwoSamples& samples) {
  if (samples.a.empty() || samples.b.empty()) return std::nullopt;
  const auto logs = logs_of_both(samples);
  if (!logs) return std::nullopt;
  return std::exp(mean(logs->a) - mean(logs->b));
}

Result<LogRatio> log_ratio_of_samples(const TwoSamples& samples, const ValueFacts& facts) {
  if (const auto logs = logs_of_both(samples); !logs) return tl::unexpected(logs.error());
  if (samples.a.size() < 2 || samples.b.size() < 2)
    return failure("a level has a single run, so its spread is unknown");
  const auto parts = by_machine(samples);
  if (parts.size() < 2) return simple_log_ratio(samples, facts);
  const auto several = over_machines(parts, facts);
  if (!several) return tl::unexpected(several.error());
  return several->ratio;
}

std::optional<double> p_machines_differ(const TwoSamples& samples, const ValueFacts& facts) {
  const auto parts = by_machine(samples);
  if (parts.size() < 2 || !logs_of_both(samples)) return std::nullopt;
  const auto several = over_machines(parts, facts);
  return several ? several->p_differ : std::nullopt;
}

TimeSeries time_series(const TwoSamples& samples, bool is_paired) {
  TimeSeries series;
  std::set<std::string> machines(samples.machines_a.begin(), samples.machines_a.end());
  machines.insert(samples.machines_b.begin(), samples.machines_b.end());
  for (const auto& machine : machines) {
    auto logs = logs_of_both(on_machine(samples, machine));
    if (!logs) return {};
    if (!is_paired) {
      series.b.push_back(std::move(logs->b));
    } else {
      for (std::size_t i = 0; i < logs->a.size(); ++i) logs->a[i] -= logs->b[i];
    }
    series.a.push_back(std::move(logs->a));
  }
  return series;
}

std::optional<MeanSkewness> skewness_of(const TwoSamples& samples, bool is_paired) {
  auto logs = logs_of_both(samples);
  if (!logs) return std::nullopt;
  if (!is_paired) return unpaired_skewness(logs->a, logs->b);
  for (std::size_t i = 0; i < logs->a.size(); ++i) logs->a[i] -= logs->b[i];
  return paired_skewness(logs->a);
}

Result<LogRatio> trimmed_ratio_of_samples(const TwoSamples& samples, const ValueFacts& facts) {
  const auto logs = logs_of_both(samples);
  if (!logs) return tl::unexpected(logs.error());
  const auto test = facts.is_paired ? yuen_paired(logs->a, logs->b) : yuen(logs->a, logs->b);
  if (!test) return tl::unexpected(test.error());
  const double half = (test->ci95[1] - test->ci95[0]) / 2;
  if (!(half > 0)) return failure("the values do not differ from run to run");
  const double error = half / student_factor(0.95, test->freedom);
  LogRatio ratio = log_ratio_of(test->difference, error, test->freedom);
  ratio.paired = facts.is_paired;
  return ratio;
}

std::optional<RankFigures> rank_figures(const TwoSamples& samples, const ValueFacts& facts) {
  // On logarithms, as the estimate: differences of costs and of logarithms have other ranks.
  const auto logs = logs_of_both(samples);
  const TwoSamples& values = logs ? *logs : samples;
  const auto test = rank_test(values.a, values.b, facts, Alternative::two_sided);
  if (!test) return std::nullopt;
  RankFigures figures{std::string(test->test), test->p, test->p, {}, {}};
  if (!logs) return figures;
  const auto shift =
      facts.is_paired ? paired_shift(logs->a, logs->b) : unpaired_shift(logs->a, logs->b);
  if (!shift) return figures;
  figures.ratio = std::exp(shift->estimate);
  if (shift->interval)
    figures.ci95 = {std::exp((*shift->interval)[0]), std::exp((*shift->interval)[1])};
  return figures;
}

std::optional<double> rank_equivalence_p(const TwoSamples& samples, const ValueFacts& facts,
                                         double margin) {
  const auto logs = logs_of_both(samples);
  if (!logs || !(margin > 0)) return std::nullopt;
  const double bound = std::log1p(margin);
  const auto above = rank_test(shifted(logs->a, bound), logs->b, facts, Alternative::greater);
  const auto below = rank_test(shifted(logs->a, -bound), logs->b, facts, Alternative::less);
  if (!above || !below) return std::nullopt;
  return std::max(above->p, below->p);
}

std::vector<MachineRatio> ratios_by_machine(const TwoSamples& samples, const ValueFacts& facts) {
  const auto parts = by_machine(samples);
  if (parts.size() < 2 || !logs_of_both(samples)) return {};
  const auto known = ratios_on(parts, facts);
  std::vector<MachineRatio> ratios;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    MachineRatio& one =
        ratios.emplace_back(MachineRatio{parts[i].machines_a.front(), known[i].ratio});
    if (!(known[i].standard_error > 0)) continue;
    one.standard_error = known[i].standard_error;
    one.freedom = known[i].freedom;
  }
  return ratios;
}

}  // namespace prengdl
