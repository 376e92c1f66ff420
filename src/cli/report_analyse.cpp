// SPDX-License-Identifier: Apache-2.0
//
// From a result to all that its report is made of.
#include <algorithm>
#include <cmath>
#include <future>

#include "analysis/aa.h"
#include "analysis/comparable_runs.h"
#include "analysis/compare.h"
#include "base/calendar.h"
#include "base/text.h"
#include "cli/aa.h"
#include "cli/common.h"
#include "cli/report_input.h"
#include "cli/result_profiles.h"
#include "meters/embedded.h"
#include "meters/estimate.h"
#include "report/aa_report.h"
#include "run/study_file.h"
#include "store/signature.h"

namespace prengdl {
namespace {

constexpr std::size_t most_runs_read_twice = 2000;

/// The value, or the Error's words.
template <class Make>
auto attempt(Make&& make) {
  Made<decltype(make())> made;
  try {
    made.value = make();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    made.why_not = std::string(error.what()) + ".";
  }
  return made;
}

/// Good runs by unit; of a study that compares nothing each cell is a unit with one level.
void group_runs(AnalysedResult& into) {
  auto& input = into.input;
  const auto& study = into.found.study;
  if (factor_index(study, study.analysis.compare)) {
    input.levels = compared_levels(study);
    input.units = runs_by_unit(study, into.found.runs, into.found.is_paired);
    return;
  }
  input.levels = {"all runs"};
  std::map<Cell, std::vector<const StoredRun*>> good;
  for (const auto& run : into.found.runs)
    if (!run.is_warmup && !run.excluded && run.outcome == Outcome::ok)
      good[run.cell].push_back(&run);
  for (const auto& cell : cells_of(study)) {
    UnitRuns unit;
    for (std::size_t i = 0; i < cell.size(); ++i) unit.cell[study.factors[i].name] = cell[i];
    unit.levels.push_back(std::move(good[cell]));
    input.units.push_back(std::move(unit));
  }
}

Findings findings_of(const AnalysedResult& into) {
  CompareSettings settings;
  settings.paired = into.found.is_paired;
  settings.planned_blocks = into.found.record.blocks;
  settings.smallest_margin = smallest_margin(into.input.aa, into.found.study.analysis.primary);
  Findings findings = compare(into.found.study, into.found.runs, settings);
  for (const auto& record : into.input.aa)
    findings.notes.push_back(aa_line(record, into.found.study.analysis.primary));
  return findings;
}

/// The metric that was asked for, else of each unit the one that it is judged by.
Accuracy accuracy_of(const AnalysedResult& into, const ReportOptions& options) {
  AccuracySettings settings{lacks_a_meter(into.found.runs) ? "seconds" : into.input.primary,
                            options.metric, options.lower_is_better, into.found.is_paired};
  Accuracy accuracy = energy_against_accuracy(into.found.study, into.input.units, settings);
  if (!accuracy.units.empty() || accuracy.metrics.empty()) return accuracy;
  if (!options.metric.empty()) {
    const bool is_told = std::find(accuracy.metrics.begin(), accuracy.metrics.end(),
                                   options.metric) != accuracy.metrics.end();
    if (is_told) return accuracy;
    throw UsageError("no run told the metric " + options.metric,
                     "prengdl export RESULT --table metrics lists what they told");
  }
  // Which direction is better is not known of a metric that nobody named.
  throw Error("The runs told " + accuracy.metrics.front() +
              (accuracy.metrics.size() > 1 ? " and others" : "") +
              ", of which prengdl does not know whether it is quality: choose one with --metric");
}

std::optional<double> target_of(const UnitAccuracy& unit) {
  std::optional<double> target;
  for (const auto& level : unit.levels)
    if (!target || (unit.lower_is_better ? level.metric > *target : level.metric < *target))
      target = level.metric;
  return target;
}

std::vector<Reaches> reaches_of(const AnalysedResult& into, const ReportOptions& options,
                                const ResultStore& store) {
  std::vector<Reaches> all;
  const auto& accuracy = into.input.accuracy.value;
  if (!accuracy) return all;
  std::optional<double> given;
  if (!options.reach.empty()) {
    given = parse_number(options.reach);
    if (!given)
      throw UsageError("--reach " + options.reach + " is not a number", "as in --reach 0.9");
  }
  for (const auto& unit : accuracy->units) {
    const auto runs = std::find_if(into.input.units.begin(), into.input.units.end(),
                                   [&](const UnitRuns& one) { return one.cell == unit.cell; });
    const auto target = given ? given : target_of(unit);
    if (!target || runs == into.input.units.end()) continue;
    ReachSettings settings;
    settings.target = *target;
    settings.metric = unit.metric;
    settings.lower_is_better = unit.lower_is_better;
    settings.measure = into.input.primary;
    settings.paired = into.found.is_paired;
    // Else the energy is that of the epochs alone: to read all samples twice would take too long.
    if (into.found.runs.size() <= most_runs_read_twice)
      settings.samples = [&](const std::string& run, const TakeReading& take) {
        store.samples(run, take);
      };
    all.push_back(energy_to_reach(into.found.study, {*runs}, settings));
  }
  return all;
}

/// `train=1,infer=N`, or the levels of `phase` that mean it.
Lifecycle lifecycle_of(const AnalysedResult& into, const ReportOptions& options) {
  std::string text = options.lifecycle;
  if (text.empty()) {
    const auto phase = phase_factor(into.found.study);
    if (!phase)
      throw Error("the study has no factor `phase`; --lifecycle names the phases of another");
    std::string once, often;
    for (const auto& level :
         into.found.study.factors[*factor_index(into.found.study, *phase)].levels) {
      if (level.starts_with("train")) once = level;
      if (level.starts_with("infer")) often = level;
    }
    if (once.empty() || often.empty())
      throw Error("the study has not both a phase train and a phase infer");
    text = once + "=1," + often + "=N";
  }
  const auto plan = parse_lifecycle(into.found.study, text);
  if (!plan)
    throw UsageError(std::string("--lifecycle: ") + plan.error().what(), plan.error().hint);
  return lifecycle(into.found.study, into.input.units, *plan,
                   {into.found.study.analysis.primary, into.found.is_paired, true});
}

std::vector<FactorialView> factorial_of(const AnalysedResult& into) {
  std::vector<FactorialView> views;
  for (const auto& measure : measures_of(into.found.study, into.found.runs)) {
    try {
      views.push_back(
          factorial_view(into.found.study, into.found.runs, measure, {into.found.is_paired, true}));
    } catch (const Error&) {
      if (measure == into.found.study.analysis.primary) throw;
    }
  }
  return views;
}

std::optional<ModelBounds> bounds_of(const AnalysedResult& into) {
  if (!lacks_a_meter(into.found.runs)) return std::nullopt;
  std::map<std::string, PowerModel> models;
  for (const auto& machine : into.input.machines)
    if (const auto model = choose_power_model(machine.facts, embedded::power_models()))
      models[machine.fingerprint] = *model;
  if (models.empty() || !into.input.findings.value) return std::nullopt;
  return model_bounds(into.found.study, into.found.runs, models, into.found.is_paired);
}

/// Names of people and machines that may stand in any text, unless the study itself uses the word.
std::vector<std::string> private_names(const AnalysedResult& into) {
  std::vector<std::string> names{host_name(), user_name()};
  for (const auto& machine : into.input.machines)
    if (machine.facts.system.hostname) names.push_back(*machine.facts.system.hostname);
  for (const auto& machine : into.input.machines) names.push_back(machine.fingerprint);
  for (const auto& one : into.input.exclusions) names.push_back(one.who);
  std::vector<std::string> used{"root", "user", "localhost"};
  for (const auto& factor : into.found.study.factors) {
    used.push_back(factor.name);
    used.insert(used.end(), factor.levels.begin(), factor.levels.end());
  }
  std::erase_if(names, [&](const std::string& name) {
    return name.size() < 3 || std::find(used.begin(), used.end(), name) != used.end();
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

void analyse(const ResultStore& store, const ReportOptions& options, AnalysedResult& into) {
  auto& input = into.input;
  auto& found = into.found;
  if (!options.least.empty()) input.least_share = share_option("--least", options.least);
  found.record = store.study();
  found.study = load_study(store.directory() / "study.toml", found.record.preset);
  // Half of the work of a small study with profiles; it meets the rest before the audit.
  auto profiles = std::async(std::launch::async | std::launch::deferred, profiles_in,
                             store.directory(), found.study);
  found.runs = store.runs(Detail::all);
  found.is_paired = found.record.blocks > 0;
  check_measures(found.study, store.directory() / "study.toml", domains_of(store, found.runs));
  check_any_succeeded(found.runs);
  if (!has_measured(found.runs, found.study.analysis.primary))
    go_without_meter(found.study.analysis);
  input.stated_window = take_window(options.window, found.runs, found.study);
  if (!options.compare_with.empty())
    input.published = read_published(options.compare_with, found.study);
  input.long_names = shorten_names(found);
  std::map<std::string, std::string> full_names(input.long_names.begin(), input.long_names.end());

  input.study = found.study;
  input.record = found.record;
  input.runs = &found.runs;
  input.is_paired = found.is_paired;
  input.primary =
      is_energy_measure(found.study.analysis.primary) ? found.study.analysis.primary : "metered";
  input.is_anonymous = options.anonymous;
  input.machines = store.machines();
  input.events = store.events();
  for (const auto& one : store.exclusions())
    input.exclusions.push_back({one.run, one.reason, one.who, one.at, one.excluded});
  input.result_name = std::filesystem::weakly_canonical(store.directory()).filename();
  input.version = PRENGDL_VERSION;
  input.made_at = utc_now();
  std::vector<std::string> fingerprints;
  fingerprints.reserve(input.machines.size());
  for (const auto& machine : input.machines) fingerprints.push_back(machine.fingerprint);
  input.aa = read_aa(fingerprints);

  group_runs(into);
  for (const auto& unit : input.units)
    for (const auto& runs : unit.levels)
      for (const auto* run : runs) {
        const auto& energy = run->run.energy;
        if (energy.metered && energy.metered->quality == Quality::model)
          input.modelled.insert("metered");
        for (const auto& [domain, joules] : energy.domains)
          if (joules.quality == Quality::model) input.modelled.insert(domain);
      }
  input.findings = attempt([&] { return findings_of(into); });
  input.accuracy = attempt([&] { return accuracy_of(into, options); });
  input.reaches = reaches_of(into, options, store);
  input.lifecycle = attempt([&] { return lifecycle_of(into, options); });
  input.factorial = attempt([&] { return factorial_of(into); });
  input.energy_time = attempt([&] {
    return energy_against_time(found.study, input.units, measures_of(found.study, found.runs));
  });
  input.bounds = bounds_of(into);
  input.profiles = profiles.get();
  for (auto& profile : input.profiles) {
    for (auto& level : profile.cell)
      for (const auto& [here, full] : input.long_names)
        if (level == full) level = here;
    if (const auto joules = measured_joules(found.runs, profile.cell))
      profile.joules = joules->value;
  }
  audit_and_trace(store, into, full_names);
  into.private_names = private_names(into);
}

}  // namespace prengdl
