// SPDX-License-Identifier: Apache-2.0
#include "analysis/lifecycle.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/energy_kind.h"
#include "analysis/paired_samples.h"
#include "model/window.h"
#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Runs = std::vector<const StoredRun*>;

/// The runs of one unit: by phase in the order of the plan, then by compared level.
struct Life {
  CellPattern cell;
  std::vector<std::vector<Runs>> phases;
};

std::vector<Life> lives_of(const std::vector<UnitRuns>& units, const LifecyclePlan& plan,
                           std::size_t levels) {
  std::vector<Life> lives;
  std::map<CellPattern, std::size_t> places;
  for (const auto& unit : units) {
    CellPattern rest = unit.cell;
    const auto node = rest.extract(plan.factor);
    const auto phase =
        std::find_if(plan.phases.begin(), plan.phases.end(),
                     [&](const LifecyclePhase& one) { return one.level == node.mapped(); });
    if (phase == plan.phases.end()) continue;
    const auto [at, is_new] = places.try_emplace(rest, lives.size());
    if (is_new)
      lives.push_back(
          {rest, std::vector<std::vector<Runs>>(plan.phases.size(), std::vector<Runs>(levels))});
    lives[at->second].phases[static_cast<std::size_t>(phase - plan.phases.begin())] = unit.levels;
  }
  return lives;
}

/// The weighted difference of two means, a factor for each.
Result<Scattered> difference_of(const TwoSamples& samples, double of_a, double of_b, bool paired) {
  if (!paired) {
    const auto a = scattered_mean(samples.a);
    const auto b = scattered_mean(samples.b);
    if (!a) return tl::unexpected(a.error());
    if (!b) return tl::unexpected(b.error());
    return sum_of({of_a * a->value, of_a * of_a * a->variance, a->freedom}, *b, -of_b);
  }
  std::vector<double> differences;
  for (std::size_t i = 0; i < samples.a.size(); ++i)
    differences.push_back(of_a * samples.a[i] - of_b * samples.b[i]);
  return scattered_mean(differences);
}

class LifeOfUnit {
 public:
  LifeOfUnit(const Life& life, const LifecyclePlan& plan, const LifecycleSettings& settings,
             const Window& window)
      : life_(life), plan_(plan), settings_(settings), window_(window) {
    Runs repeated;
    for (const auto& runs : life.phases[plan.repeated])
      repeated.insert(repeated.end(), runs.begin(), runs.end());
    if (settings.per_work && window.spans.empty()) per_ = common_work(repeated, {});
  }

  const std::optional<std::string>& per() const { return per_; }

  std::optional<Quality> quality() const {
    Runs all;
    for (const auto& phase : life_.phases)
      for (const auto& runs : phase) all.insert(all.end(), runs.begin(), runs.end());
    return worst_quality(all, settings_.measure);
  }

  /// Nothing for a level that has no figure in some phase.
  std::optional<LifecycleLevel> level(std::size_t index, const std::string& name) const {
    std::vector<TwoSamples> samples(plan_.phases.size());
    for (std::size_t phase = 0; phase < plan_.phases.size(); ++phase) {
      for (const auto* run : life_.phases[phase][index])
        if (const auto cost = cost_in(phase, run->run)) samples[phase].a.push_back(*cost);
      if (samples[phase].a.empty()) return std::nullopt;
    }
    return level_of(name, samples, &TwoSamples::a);
  }

  /// From the pair's own runs: of paired ones only those that have a partner count.
  LifecyclePair compare(std::size_t a, std::size_t b, const std::array<std::string, 2>& names,
                        bool is_modelled) const {
    LifecyclePair result;
    result.pair = names;
    std::vector<TwoSamples> samples;
    for (std::size_t phase = 0; phase < plan_.phases.size(); ++phase) {
      samples.push_back(two_samples(life_.phases[phase][a], life_.phases[phase][b],
                                    settings_.paired,
                                    [&](const Run& run) { return cost_in(phase, run); }));
      result.reason =
          samples.back().a.empty() || samples.back().b.empty()
              ? fmt::format("{} has no block with both", plan_.phases[phase].level)
              : other_domains(life_.phases[phase][a], life_.phases[phase][b], settings_.measure);
      if (result.reason.empty()) continue;
      result.outcome = LifecyclePair::Outcome::not_comparable;
      return result;
    }
    const auto first = level_of(names[0], samples, &TwoSamples::a);
    const auto second = level_of(names[1], samples, &TwoSamples::b);
    decide(first, second, result);
    if (first.total && second.total && *first.total > 0 && *second.total > 0)
      result.total = Ratio{*first.total / *second.total, {}, {}, {}};
    if (is_modelled)
      result.reason = "the energy is modelled, not measured";
    else
      add_intervals(samples, first, second, result);
    return result;
  }

 private:
  std::optional<double> cost_in(std::size_t phase, const Run& run) const {
    const auto value = value_in(run, window_, settings_.measure);
    if (!value || phase != plan_.repeated || !per_) return value;
    const auto work = work_of(run, *per_);
    return work ? std::optional(*value / *work) : std::nullopt;
  }

  LifecycleLevel level_of(const std::string& name, const std::vector<TwoSamples>& samples,
                          std::vector<double> TwoSamples::*side) const {
    LifecycleLevel result;
    result.level = name;
    for (std::size_t phase = 0; phase < samples.size(); ++phase) {
      const double cost = mean(samples[phase].*side);
      if (phase == plan_.repeated)
        result.each = cost;
      else
        result.fixed += *plan_.phases[phase].times * cost;
    }
    if (const auto times = plan_.phases[plan_.repeated].times)
      result.total = result.fixed + *times * result.each;
    return result;
  }

  static void decide(const LifecycleLevel& first, const LifecycleLevel& second,
                     LifecyclePair& result) {
    using Outcome = LifecyclePair::Outcome;
    const double fixed = second.fixed - first.fixed;  // what the first saves once
    const double each = first.each - second.each;     // and loses every time
    if (fixed == 0 && each == 0) return;
    if (fixed >= 0 && each <= 0) {
      result.outcome = Outcome::first_always;
    } else if (fixed <= 0 && each >= 0) {
      result.outcome = Outcome::second_always;
    } else {
      result.outcome = Outcome::break_even;
      result.break_even = fixed / each;
      result.less_before = fixed > 0 ? first.level : second.level;
      result.less_after = fixed > 0 ? second.level : first.level;
    }
  }

  void add_intervals(const std::vector<TwoSamples>& samples, const LifecycleLevel& first,
                     const LifecycleLevel& second, LifecyclePair& result) const {
    std::optional<Scattered> fixed;
    std::optional<Scattered> each;
    for (std::size_t phase = 0; phase < samples.size(); ++phase) {
      const bool is_repeated = phase == plan_.repeated;
      // Fixed costs: what the first saves; repeated ones: what it loses.
      const auto part = is_repeated ? difference_of(samples[phase], 1, 1, settings_.paired)
                                    : difference_of(samples[phase], -1, -1, settings_.paired);
      if (!part) {
        result.reason =
            fmt::format("{} has too few runs for an interval", plan_.phases[phase].level);
        return;
      }
      if (is_repeated)
        each = *part;
      else
        fixed = sum_of(fixed.value_or(Scattered{0, 0, part->freedom}), *part,
                       *plan_.phases[phase].times);
    }
    result.may_be_equal = fieller_set(*fixed, *each);
    if (result.total) result.total->ci95 = total_interval(samples, *first.total, *second.total);
  }

  /// The ratio of two totals on the log scale by the delta method: its error is that of
  /// sum of times x (a / total of a - b / total of b) over the phases.
  std::optional<std::array<double, 2>> total_interval(const std::vector<TwoSamples>& samples,
                                                      double total_a, double total_b) const {
    std::optional<Scattered> error;
    for (std::size_t phase = 0; phase < samples.size(); ++phase) {
      const double times = *plan_.phases[phase].times;
      const auto part =
          difference_of(samples[phase], times / total_a, times / total_b, settings_.paired);
      if (!part) return std::nullopt;
      error = error ? sum_of(*error, *part) : *part;
    }
    return log_ratio_of(std::log(total_a / total_b), std::sqrt(error->variance), error->freedom)
        .ci95;
  }

  const Life& life_;
  const LifecyclePlan& plan_;
  const LifecycleSettings& settings_;
  const Window& window_;
  std::optional<std::string> per_;
};

}  // namespace

Lifecycle lifecycle(const Study& study, const std::vector<UnitRuns>& units,
                    const LifecyclePlan& plan, const LifecycleSettings& settings) {
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  const auto& levels = compared_levels(study);
  Lifecycle result{plan, settings.measure, settings.paired, {}, {}};
  for (const auto& level : study.factors[*factor_index(study, plan.factor)].levels)
    if (std::none_of(plan.phases.begin(), plan.phases.end(),
                     [&](const LifecyclePhase& phase) { return phase.level == level; }))
      result.notes.push_back(fmt::format("{}={} is no part of this life", plan.factor, level));
  for (const auto& life : lives_of(units, plan, levels.size())) {
    const LifeOfUnit of_unit(life, plan, settings, *window);
    LifecycleUnit unit{life.cell, of_unit.per(), of_unit.quality(), {}, {}};
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (auto level = of_unit.level(i, levels[i])) {
        known.push_back(i);
        unit.levels.push_back(std::move(*level));
      }
    for (std::size_t i = 0; i < known.size(); ++i)
      for (std::size_t j = i + 1; j < known.size(); ++j)
        unit.pairs.push_back(of_unit.compare(known[i], known[j],
                                             {levels[known[i]], levels[known[j]]},
                                             unit.quality == Quality::model));
    if (!unit.levels.empty()) result.units.push_back(std::move(unit));
  }
  return result;
}

}  // namespace prengdl
