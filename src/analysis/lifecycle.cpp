// SPDX-License-Identifier: Apache-2.0
#include "analysis/lifecycle.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "conclude/energy_kind.h"
#include "conclude/paired_samples.h"
#include "conclude/work.h"
#include "model/window.h"
#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr auto form = "write levels of one factor and how often each occurs: train=1,infer=N";

Result<LifecyclePhase> parse_phase(std::string_view text) {
  const auto equals = text.rfind('=');
  const auto level = trimmed(text.substr(0, equals));
  if (equals == std::string_view::npos || level.empty())
    return failure(fmt::format("'{}' does not say how often a phase occurs", printable(text)),
                   form);
  const auto times = trimmed(text.substr(equals + 1));
  if (times == "N" || times == "n") return LifecyclePhase{std::string(level), std::nullopt};
  const auto number = parse_number(times);
  if (!number || *number < 0)
    return failure(
        fmt::format("'{}' is not how often {} occurs", printable(times), printable(level)),
        "write a number from 0 on, or N to leave it open");
  return LifecyclePhase{std::string(level), *number};
}

bool has_level(const Factor& factor, const std::string& level) {
  return std::find(factor.levels.begin(), factor.levels.end(), level) != factor.levels.end();
}

/// The factor that has all the phases as levels.
Result<std::string> factor_of(const Study& study, const std::vector<LifecyclePhase>& phases) {
  std::vector<std::string> fitting;
  const Factor* most = nullptr;  // has the most of them: what was meant if none has all
  std::ptrdiff_t most_levels = -1;
  for (const auto& factor : study.factors) {
    if (factor.name == study.analysis.compare) continue;
    const auto known =
        std::count_if(phases.begin(), phases.end(),
                      [&](const LifecyclePhase& phase) { return has_level(factor, phase.level); });
    if (known == static_cast<std::ptrdiff_t>(phases.size())) fitting.push_back(factor.name);
    if (known > most_levels) {
      most_levels = known;
      most = &factor;
    }
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.size() > 1)
    return failure(fmt::format("the phases are levels of several factors: {}",
                               joined(fitting, ", ", printable)),
                   "give the levels of one of them other names in the study file");
  if (!most)
    return failure(fmt::format("study {} has no factor in addition to the compared one",
                               printable(study.name)),
                   "a life needs phases: a factor such as phase = [\"train\", \"infer\"]");
  for (const auto& phase : phases) {
    if (has_level(*most, phase.level)) continue;
    std::vector<std::string> all;
    for (const auto& factor : study.factors)
      if (factor.name != study.analysis.compare)
        all.insert(all.end(), factor.levels.begin(), factor.levels.end());
    const auto near = nearest(phase.level, most_levels > 0 ? most->levels : all);
    const auto compared = factor_index(study, study.analysis.compare);
    if (compared && has_level(study.factors[*compared], phase.level))
      return failure(fmt::format("'{}' is a level of {}, which is compared", printable(phase.level),
                                 printable(study.analysis.compare)),
                     form);
    return failure(fmt::format("no phase '{}'", printable(phase.level)),
                   (near ? fmt::format("did you mean {}? ", printable(*near)) : std::string()) +
                       fmt::format("{} has the levels {}", printable(most->name),
                                   joined(most->levels, ", ", printable)));
  }
  return failure("the phases are levels of different factors", form);
}

using Runs = std::vector<const StoredRun*>;

/// The runs of one case: by phase in the order of the plan, then by compared level.
struct Life {
  CellPattern cell;
  std::vector<std::vector<Runs>> phases;
};

std::vector<Life> lives_of(const std::vector<CaseRuns>& cases, const LifecyclePlan& plan,
                           std::size_t levels) {
  std::vector<Life> lives;
  std::map<CellPattern, std::size_t> places;
  for (const auto& one_case : cases) {
    CellPattern rest = one_case.cell;
    const auto node = rest.extract(plan.factor);
    const auto phase =
        std::find_if(plan.phases.begin(), plan.phases.end(),
                     [&](const LifecyclePhase& one) { return one.level == node.mapped(); });
    if (phase == plan.phases.end()) continue;
    const auto [at, is_new] = places.try_emplace(rest, lives.size());
    if (is_new)
      lives.push_back(
          {rest, std::vector<std::vector<Runs>>(plan.phases.size(), std::vector<Runs>(levels))});
    lives[at->second].phases[static_cast<std::size_t>(phase - plan.phases.begin())] =
        one_case.levels;
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

class LifeOfCase {
 public:
  LifeOfCase(const Life& life, const LifecyclePlan& plan, const LifecycleSettings& settings,
             const Window& window, const std::string& per)
      : life_(life), plan_(plan), settings_(settings), window_(window) {
    Runs repeated;
    for (const auto& runs : life.phases[plan.repeated])
      repeated.insert(repeated.end(), runs.begin(), runs.end());
    per_ = emitted_by_all(repeated, per);
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

Result<LifecyclePlan> parse_lifecycle(const Study& study, const std::string& option) {
  LifecyclePlan plan;
  std::size_t open = 0;
  for (const auto part : split(option, ',')) {
    auto phase = parse_phase(part);
    if (!phase) return tl::unexpected(phase.error());
    for (const auto& other : plan.phases)
      if (other.level == phase->level)
        return failure(fmt::format("phase {} is there twice", printable(phase->level)), form);
    if (!phase->times) ++open;
    plan.phases.push_back(std::move(*phase));
  }
  if (plan.phases.size() < 2) return failure("a life needs at least two phases", form);
  if (open > 1)
    return failure("only one phase can be left open", "write N once and numbers for the others");
  const auto is_open = [](const LifecyclePhase& phase) { return !phase.times; };
  const auto repeated = std::find_if(plan.phases.begin(), plan.phases.end(), is_open);
  plan.repeated = repeated == plan.phases.end()
                      ? plan.phases.size() - 1
                      : static_cast<std::size_t>(repeated - plan.phases.begin());
  auto factor = factor_of(study, plan.phases);
  if (!factor) return tl::unexpected(factor.error());
  plan.factor = std::move(*factor);
  return plan;
}

std::optional<std::string> phase_factor(const Study& study) {
  for (const auto& factor : study.factors)
    if (factor.name == "phase" && factor.name != study.analysis.compare) return factor.name;
  return std::nullopt;
}

Result<LifecyclePlan> default_lifecycle(const Study& study) {
  const auto phase = phase_factor(study);
  if (!phase)
    return failure("the study has no factor `phase`; --lifecycle names the phases of another");
  std::string once, often;
  for (const auto& level : study.factors[*factor_index(study, *phase)].levels) {
    if (level.starts_with("train")) once = level;
    if (level.starts_with("infer")) often = level;
  }
  if (once.empty() || often.empty())
    return failure("the study has not both a phase train and a phase infer");
  return LifecyclePlan{*phase, {{once, 1.0}, {often, std::nullopt}}, 1};
}

Lifecycle lifecycle(const Study& study, const std::vector<CaseRuns>& cases,
                    const LifecyclePlan& plan, const LifecycleSettings& settings) {
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  const auto& levels = compared_levels(study);
  Lifecycle result{plan, settings.measure, settings.paired, {}, {}};
  for (const auto& level : study.factors[*factor_index(study, plan.factor)].levels)
    if (std::none_of(plan.phases.begin(), plan.phases.end(),
                     [&](const LifecyclePhase& phase) { return phase.level == level; }))
      result.notes.push_back(fmt::format("{}={} is no part of this life", plan.factor, level));
  for (const auto& life : lives_of(cases, plan, levels.size())) {
    const LifeOfCase of_case(life, plan, settings, *window, study.analysis.per);
    LifecycleCase one_case{life.cell, of_case.per(), of_case.quality(), {}, {}};
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (auto level = of_case.level(i, levels[i])) {
        known.push_back(i);
        one_case.levels.push_back(std::move(*level));
      }
    for (std::size_t i = 0; i < known.size(); ++i)
      for (std::size_t j = i + 1; j < known.size(); ++j)
        one_case.pairs.push_back(of_case.compare(known[i], known[j],
                                                 {levels[known[i]], levels[known[j]]},
                                                 one_case.quality == Quality::model));
    if (!one_case.levels.empty()) result.cases.push_back(std::move(one_case));
  }
  return result;
}

}  // namespace prengdl
