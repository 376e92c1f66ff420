// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_parts.h"

#include "analysis/accuracy.h"
#include "analysis/compare.h"
#include "analysis/emissions.h"
#include "analysis/energy_time.h"
#include "analysis/factorial.h"
#include "analysis/lifecycle.h"
#include "analysis/model_bounds.h"
#include "analysis/place_table.h"
#include "analysis/reach.h"
#include "analysis/unit_runs.h"
#include "base/text.h"
#include "meters/embedded.h"
#include "meters/estimate.h"
#include "model/measure.h"
#include "report/accuracy_report.h"
#include "report/bounds_report.h"
#include "report/emissions_report.h"
#include "report/energy_time_report.h"
#include "report/factorial_report.h"
#include "report/lifecycle_report.h"

namespace prengdl {
namespace {

/// The value of an option, or a UsageError that names it.
template <class T>
T or_refuse(const char* option, Result<T> value) {
  if (!value)
    throw UsageError(std::string(option) + ": " + value.error().what(), value.error().hint);
  return std::move(*value);
}

struct Context {
  const ComparePartOptions& options;
  const ResultStore& store;
  const ResultStudy& found;
  const std::vector<UnitRuns>& units;
  bool per_work;
  Style style;

  const Study& study() const { return found.study; }
  const std::string& primary() const { return found.study.analysis.primary; }
  /// Time is no energy: derived costs then come from the total.
  std::string energy() const { return is_energy_measure(primary()) ? primary() : "metered"; }
};

void add_lifecycle(const Context& context, std::vector<ComparePart>& parts) {
  if (context.options.lifecycle.empty()) return;
  const auto plan =
      or_refuse("--lifecycle", parse_lifecycle(context.study(), context.options.lifecycle));
  const auto life = lifecycle(context.study(), context.units, plan,
                              {context.primary(), context.found.is_paired, context.per_work});
  parts.push_back({"lifecycle", lifecycle_json(life), lifecycle_text(life, context.style)});
}

void add_emissions(const Context& context, std::vector<ComparePart>& parts) {
  const auto& options = context.options;
  if (options.carbon.empty() && options.price.empty()) {
    for (const auto& [name, given] :
         {std::pair("--pue", &options.pue), std::pair("--embodied", &options.embodied)})
      if (!given->empty())
        throw UsageError(std::string(name) + " needs --carbon or --price", "as in --carbon DE");
    return;
  }
  EmissionSettings settings;
  settings.measure = context.energy();
  settings.per_work = context.per_work;
  if (!options.carbon.empty())
    settings.carbon = or_refuse("--carbon", carbon_factor(options.carbon));
  if (!options.price.empty()) settings.price = or_refuse("--price", price_factor(options.price));
  if (!options.pue.empty()) settings.pue = or_refuse("--pue", parse_pue(options.pue));
  if (!options.embodied.empty())
    settings.embodied = or_refuse("--embodied", parse_embodied(options.embodied));
  const auto derived = emissions(context.study(), context.units, settings);
  parts.push_back({"emissions", emissions_json(derived), emissions_text(derived, context.style)});
}

void add_accuracy(const Context& context, std::vector<ComparePart>& parts) {
  const auto& options = context.options;
  AccuracySettings settings{lacks_a_meter(context.found.runs) ? "seconds" : context.energy(),
                            options.metric, options.lower_is_better, context.found.is_paired};
  const auto accuracy = energy_against_accuracy(context.study(), context.units, settings);
  if (accuracy.units.empty()) {
    if (options.metric.empty() && options.reach.empty()) return;
    throw UsageError(options.metric.empty() ? "no run told a metric that --reach could be of"
                                            : "no run told the metric " + options.metric,
                     "prengdl export RESULT --table metrics lists what they told");
  }
  parts.push_back({"accuracy", accuracy_json(accuracy), accuracy_text(accuracy, context.style)});
  if (options.reach.empty()) return;
  const auto target = parse_number(options.reach);
  if (!target)
    throw UsageError("--reach " + options.reach + " is not a number", "as in --reach 0.9");
  const auto metric = accuracy.only_metric();
  if (!metric)
    throw UsageError("--reach " + options.reach + ": the units are judged by different metrics",
                     "say with --metric which one is to be reached");
  ReachSettings reach;
  reach.target = *target;
  reach.metric = *metric;
  reach.lower_is_better = accuracy.units.front().lower_is_better;
  reach.measure = context.energy();
  reach.paired = context.found.is_paired;
  reach.samples = [&](const std::string& run, const TakeReading& take) {
    context.store.samples(run, take);
  };
  const auto reaches = energy_to_reach(context.study(), context.units, reach);
  parts.push_back({"reach", reach_json(reaches), reach_text(reaches, context.style)});
}

void add_energy_time(const Context& context, std::vector<ComparePart>& parts) {
  const auto relation = energy_against_time(context.study(), context.units,
                                            measures_of(context.study(), context.found.runs));
  parts.push_back({"energy_time", energy_time_json(relation),
                   context.options.energy_time ? energy_time_text(relation, context.style) : ""});
}

void add_factorial(const Context& context, std::vector<ComparePart>& parts) {
  if (!context.options.factorial) return;
  std::vector<FactorialView> views;
  for (const auto& measure : measures_of(context.study(), context.found.runs)) {
    try {
      views.push_back(factorial_view(context.study(), context.found.runs, measure,
                                     {context.found.is_paired, context.per_work}));
    } catch (const Error&) {
      // A secondary measure that no run has is no reason to withhold the others.
      if (measure == context.primary()) throw;
    }
  }
  parts.push_back(factorial_part(views, context.style));
}

void add_bounds(const Context& context, const std::vector<std::string>& factors,
                std::vector<ComparePart>& parts) {
  if (!lacks_a_meter(context.found.runs)) return;
  std::map<std::string, PowerModel> models;
  for (const auto& machine : context.store.machines())
    if (const auto model = choose_power_model(machine.facts, embedded::power_models()))
      models[machine.fingerprint] = *model;
  if (models.empty()) return;
  const auto bounds =
      model_bounds(context.study(), context.found.runs, models, context.found.is_paired);
  parts.push_back(bounds_part(bounds, factors, context.style));
}

}  // namespace

void ComparePartOptions::declare(Arguments& arguments) {
  arguments.text("--lifecycle", lifecycle, "whole-life costs and break-even: train=1,infer=N",
                 "PHASES");
  arguments.text("--carbon", carbon, "grams of CO2e: a place (DE), g/kWh (350) or FILE:PLACE",
                 "WHERE");
  arguments.text("--price", price, "money: a place (DE), 0.30EUR a kWh, or FILE:PLACE", "WHERE");
  arguments.text("--pue", pue, "the data centre's overhead on energy, for carbon and money", "X");
  arguments.text("--embodied", embodied, "emissions of making the hardware: 1000kg,4y[,SHARE]",
                 "MADE");
  arguments.text("--metric", metric,
                 "energy against this metric (default: of each unit what it is judged by)", "NAME");
  arguments.flag("--lower-is-better", lower_is_better, "of the metric: a loss");
  arguments.text("--reach", reach, "energy until the first epoch that reaches this", "VALUE");
  arguments.flag("--energy-time", energy_time, "energy against time, within and across cells");
  arguments.flag("--factorial", factorial, "level means, interactions and shares of variation");
}

std::vector<ComparePart> compare_parts(const ComparePartOptions& options, const ResultStore& store,
                                       const ResultStudy& found, bool per_work,
                                       const Style& style) {
  const auto units = runs_by_unit(found.study, found.runs, found.is_paired);
  const Context context{options, store, found, units, per_work, style};
  std::vector<std::string> factors;
  for (const auto& factor : found.study.factors)
    if (factor.name != found.study.analysis.compare) factors.push_back(factor.name);
  std::vector<ComparePart> parts;
  add_bounds(context, factors, parts);
  add_accuracy(context, parts);
  add_energy_time(context, parts);
  add_factorial(context, parts);
  add_lifecycle(context, parts);
  add_emissions(context, parts);
  return parts;
}

}  // namespace prengdl
