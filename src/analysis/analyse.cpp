// SPDX-License-Identifier: Apache-2.0
#include "analysis/analyse.h"

#include <algorithm>

#include "conclude/aa.h"
#include "conclude/comparable_runs.h"
#include "conclude/compare.h"
#include "conclude/robustness.h"
#include "model/counted_runs.h"
#include "model/flag.h"
#include "model/measure.h"

namespace prengdl {
namespace {

/// Samples of more runs are read only if a target was given: it would take too long.
constexpr std::size_t most_runs_with_samples = 2000;

/// The value, or the Error that kept it from being made. A wrong option is the caller's.
template <class Make>
auto attempt(Make&& make) {
  Made<decltype(make())> made;
  try {
    made.value = make();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    made.error = error;
    made.why_not = std::string(error.what()) + ".";
  }
  return made;
}

/// Of a study that compares nothing each cell is a case with one level.
std::vector<CaseRuns> cells_as_cases(const Study& study,
                                     const std::vector<const StoredRun*>& counted) {
  std::map<Cell, std::vector<const StoredRun*>> runs;
  for (const auto* run : counted) runs[run->cell].push_back(run);
  std::vector<CaseRuns> cases;
  for (const auto& cell : cells_of(study)) {
    CaseRuns one_case;
    for (std::size_t i = 0; i < cell.size(); ++i) one_case.cell[study.factors[i].name] = cell[i];
    one_case.levels.push_back(std::move(runs[cell]));
    cases.push_back(std::move(one_case));
  }
  return cases;
}

LeftOutRuns left_out_of(const std::vector<StoredRun>& runs, const CountedRuns& which) {
  LeftOutRuns left_out;
  for (const auto& run : runs) {
    if (which.counts(run)) continue;
    ++(run.is_warmup                ? left_out.warmups
       : run.excluded               ? left_out.excluded
       : run.outcome != Outcome::ok ? left_out.failed
                                    : left_out.replaced);
  }
  return left_out;
}

std::set<std::string> modelled_measures(const std::vector<CaseRuns>& cases) {
  std::set<std::string> modelled;
  for (const auto& one_case : cases)
    for (const auto& runs : one_case.levels)
      for (const auto* run : runs) {
        const auto& energy = run->run.energy;
        if (energy.metered && energy.metered->quality == Quality::model)
          modelled.insert(measures::metered);
        for (const auto& [domain, joules] : energy.domains)
          if (joules.quality == Quality::model) modelled.insert(domain);
      }
  return modelled;
}

/// What the level that reaches the least reaches on average.
std::optional<double> weakest_score(const CaseScores& one_case) {
  std::optional<double> target;
  for (const auto& level : one_case.levels)
    if (!target || (one_case.lower_is_better ? level.metric > *target : level.metric < *target))
      target = level.metric;
  return target;
}

class Analyser {
 public:
  Analyser(const AnalysisInput& input, const AnalysisOptions& options)
      : input_(input), options_(options), study_(input.study) {}

  Analysis make() {
    check_any_succeeded(input_.runs);
    look_at_runs();
    result_.findings = attempt([&] { return findings(); });
    const auto& findings = result_.findings.value;
    result_.headline = findings ? headline_measure(*findings) : study_.analysis.primary;
    if (findings) result_.standings = standings(*findings, result_.headline);
    if (findings && options_.with_robustness)
      add_robustness(study_, input_.runs, compare_settings(), result_.headline,
                     *result_.findings.value);
    result_.scores = attempt([&] { return scores(); });
    if (options_.with_cost_to_score) result_.costs_to_score = costs_to_score();
    if (options_.with_lifecycle) result_.lifecycle = attempt([&] { return life(); });
    if (options_.with_factorial) result_.factorial = attempt([&] { return factorial(); });
    result_.energy_time =
        attempt([&] { return energy_against_time(study_, result_.cases, result_.measures); });
    if (options_.emissions) result_.emissions = derived();
    if (findings && lacks_a_meter(input_.runs) && !input_.power_models.empty())
      result_.bounds = model_bounds(study_, input_.runs, input_.power_models, input_.is_paired);
    return std::move(result_);
  }

 private:
  void look_at_runs() {
    const CountedRuns which(input_.runs, input_.is_paired);
    const auto counted = which.among(input_.runs);
    result_.left_out = left_out_of(input_.runs, which);
    if (factor_index(study_, study_.analysis.compare)) {
      result_.levels = compared_levels(study_);
      result_.cases = runs_by_case(study_, input_.runs, input_.is_paired);
    } else {
      result_.levels = {"all runs"};
      result_.cases = cells_as_cases(study_, counted);
    }
    result_.measures = measures_of(study_, input_.runs);
    result_.modelled = modelled_measures(result_.cases);
    const auto& primary = study_.analysis.primary;
    result_.primary = is_energy_measure(primary) ? primary : measures::metered;
    std::vector<const Run*> runs;
    runs.reserve(counted.size());
    for (const auto* run : counted) runs.push_back(&run->run);
    result_.flags = flag_lines(runs);
    result_.aa = input_.aa;
    result_.registration = input_.registration;
    if (input_.registration)
      result_.changed =
          changes_since(*input_.registration, study_.analysis, input_.is_without_meter);
    result_.looks = input_.looks;
  }

  CompareSettings compare_settings() const {
    CompareSettings settings;
    settings.paired = input_.is_paired;
    settings.planned_blocks = input_.planned_blocks;
    settings.machines = input_.machines;
    std::set<std::size_t> blocks;
    std::size_t made = 0;
    for (const auto& run : input_.runs)
      if (!run.is_warmup) {
        blocks.insert(run.block);
        ++made;
      }
    settings.earlier_looks = looks_before(input_.looks, made).size();
    settings.is_unfinished = study_.protocol.stopping.rule == Stopping::Rule::never &&
                             input_.planned_blocks && blocks.size() < *input_.planned_blocks;
    return settings;
  }

  Findings findings() const { return compare(study_, input_.runs, compare_settings()); }

  Scores scores() const {
    const ScoreSettings settings{lacks_a_meter(input_.runs) ? measures::seconds : result_.primary,
                                 options_.metric, options_.lower_is_better, input_.is_paired};
    Scores scores = cost_against_score(study_, result_.cases, settings);
    const auto& emitted = scores.metrics;
    const auto& asked = options_.metric;
    if (!asked.empty() && std::find(emitted.begin(), emitted.end(), asked) == emitted.end())
      throw UsageError("no run emitted the metric " + asked,
                       "prengdl export RESULT --table metrics lists those that were emitted");
    if (options_.target && scores.cases.empty())
      throw UsageError("no run emitted a metric for --reach",
                       "prengdl export RESULT --table metrics lists those that were emitted");
    // Which direction is better is not known of a metric that nobody named.
    if (asked.empty() && scores.cases.empty() && !emitted.empty())
      throw Error("The runs emitted " + emitted.front() +
                  (emitted.size() > 1 ? " and others" : "") +
                  ", which may not be a score: choose one with "
                  "--metric");
    return scores;
  }

  std::vector<CostsToScore> costs_to_score() const {
    std::vector<CostsToScore> all;
    const auto& scores = result_.scores.value;
    if (!scores) return all;
    if (options_.target) {
      if (!scores->only_metric())
        throw UsageError("--reach: the cases are judged by different metrics",
                         "say with --metric which one is to be reached");
      return {
          cost_to_score(study_, result_.cases, target(scores->cases.front(), *options_.target))};
    }
    for (const auto& one_case : scores->cases) {
      const auto runs =
          std::find_if(result_.cases.begin(), result_.cases.end(),
                       [&](const CaseRuns& one) { return one.cell == one_case.cell; });
      const auto weakest = weakest_score(one_case);
      if (weakest && runs != result_.cases.end())
        all.push_back(cost_to_score(study_, {*runs}, target(one_case, *weakest)));
    }
    return all;
  }

  CostToScoreSettings target(const CaseScores& like, double value) const {
    CostToScoreSettings settings;
    settings.target = value;
    settings.metric = like.metric;
    settings.lower_is_better = like.lower_is_better;
    settings.measure = result_.primary;
    settings.paired = input_.is_paired;
    if (options_.target || input_.runs.size() <= most_runs_with_samples)
      settings.samples = input_.samples;
    return settings;
  }

  Lifecycle life() const {
    auto plan =
        options_.lifecycle ? Result<LifecyclePlan>(*options_.lifecycle) : default_lifecycle(study_);
    if (!plan) throw Error(plan.error());
    return lifecycle(study_, result_.cases, *plan, {study_.analysis.primary, input_.is_paired});
  }

  std::vector<FactorialView> factorial() const {
    std::vector<FactorialView> views;
    for (const auto& measure : result_.measures) {
      try {
        views.push_back(factorial_view(study_, input_.runs, measure, {input_.is_paired}));
      } catch (const Error&) {
        // A secondary measure that no run has is no reason to withhold the others.
        if (measure == study_.analysis.primary) throw;
      }
    }
    return views;
  }

  Emissions derived() const {
    EmissionSettings settings = *options_.emissions;
    settings.measure = result_.primary;
    return emissions(study_, result_.cases, settings);
  }

  const AnalysisInput& input_;
  const AnalysisOptions& options_;
  const Study& study_;
  Analysis result_;
};

}  // namespace

Analysis analyse(const AnalysisInput& input, const AnalysisOptions& options) {
  return Analyser(input, options).make();
}

}  // namespace prengdl
