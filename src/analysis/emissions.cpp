// SPDX-License-Identifier: Apache-2.0
#include "analysis/emissions.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"
#include "conclude/energy_kind.h"
#include "conclude/paired_samples.h"
#include "conclude/work.h"
#include "model/measure.h"
#include "model/window.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr double joules_per_kwh = 3.6e6;
constexpr Seconds year{365.0 * 24 * 3600};

constexpr auto embodied_hint =
    "write the emissions of the hardware, its lifespan and the reserved share: "
    "--embodied 1000kg,4y,0.25";

std::optional<double> grams_in(std::string_view text) {
  struct Mass {
    std::string_view unit;
    double grams;
  };
  for (const Mass& mass : {Mass{"kg", 1e3}, Mass{"t", 1e6}, Mass{"g", 1}}) {
    if (!text.ends_with(mass.unit)) continue;
    const auto number = parse_number(text.substr(0, text.size() - mass.unit.size()));
    return number && *number >= 0 ? std::optional(*number * mass.grams) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Seconds> lifespan_in(std::string_view text) {
  std::optional<Seconds> span;
  if (text.ends_with('y')) {
    if (const auto years = parse_number(text.substr(0, text.size() - 1))) span = *years * year;
  } else if (const auto duration = parse_duration(text)) {
    span = *duration;
  }
  return span && span->count() > 0 ? span : std::nullopt;
}

DerivedMean mean_of(const std::vector<double>& values, bool is_modelled) {
  const Summary summary = summarise(values);
  return {summary.mean, is_modelled ? std::nullopt : summary.ci95};
}

/// One run's figures per unit of R.
struct DerivedCost {
  double joules = 0;
  double operational_grams = 0;
  double embodied_grams = 0;
  double money = 0;
};

std::optional<DerivedCost> cost_of(const Run& run, const Window& window,
                                   const EmissionSettings& settings,
                                   const std::optional<std::string>& per) {
  const auto joules = value_in(run, window, settings.measure);
  const auto seconds = value_in(run, window, measures::seconds);
  const auto work = per ? work_of(run, *per) : std::optional(1.0);
  if (!joules || !seconds || !work) return std::nullopt;
  DerivedCost cost;
  cost.joules = *joules / *work;
  const double kwh = cost.joules / joules_per_kwh * settings.pue.value_or(1);
  if (settings.carbon) cost.operational_grams = kwh * settings.carbon->value;
  if (settings.embodied)
    cost.embodied_grams = settings.embodied->grams *
                          (*seconds / settings.embodied->lifespan.count()) *
                          settings.embodied->share / *work;
  if (settings.price) cost.money = kwh * settings.price->value;
  return cost;
}

LevelEmissions level_of(const std::string& level, const std::vector<DerivedCost>& costs,
                        const EmissionSettings& settings, bool is_modelled) {
  LevelEmissions result;
  result.level = level;
  result.n = costs.size();
  if (costs.empty()) return result;
  const auto values = [&](auto&& value_of) {
    std::vector<double> all;
    all.reserve(costs.size());
    for (const auto& cost : costs) all.push_back(value_of(cost));
    return all;
  };
  result.joules = mean(values([](const DerivedCost& cost) { return cost.joules; }));
  if (settings.carbon)
    result.grams = mean_of(values([](const DerivedCost& cost) {
                             return cost.operational_grams + cost.embodied_grams;
                           }),
                           is_modelled);
  if (settings.carbon && settings.embodied)
    result.embodied_grams =
        mean(values([](const DerivedCost& cost) { return cost.embodied_grams; }));
  if (settings.price)
    result.money = mean_of(values([](const DerivedCost& cost) { return cost.money; }), is_modelled);
  return result;
}

}  // namespace

Result<Embodied> parse_embodied(const std::string& option) {
  const auto parts = split(option, ',');
  const auto wrong = [&] {
    return failure("'" + printable(option) + "' does not say what the hardware emitted",
                   embodied_hint);
  };
  if (parts.size() < 2 || parts.size() > 3) return wrong();
  const auto grams = grams_in(trimmed(parts[0]));
  const auto lifespan = lifespan_in(trimmed(parts[1]));
  const auto share = parts.size() == 3 ? parse_number(parts[2]) : std::optional(1.0);
  if (!grams || !lifespan || !share || !(*share > 0 && *share <= 1)) return wrong();
  return Embodied{*grams, *lifespan, *share};
}

Result<double> parse_pue(const std::string& option) {
  const auto value = parse_number(option);
  if (value && *value >= 1 && *value <= 10) return *value;
  return failure("'" + printable(option) + "' is not a PUE",
                 "write what the building uses for each joule of the machines: --pue 1.4");
}

Emissions emissions(const Study& study, const std::vector<CaseRuns>& cases,
                    const EmissionSettings& settings) {
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  const auto& levels = compared_levels(study);
  Emissions result;
  result.settings = settings;
  for (const auto& one_case : cases) {
    CaseEmissions one;
    one.cell = one_case.cell;
    std::vector<const StoredRun*> all;
    for (const auto& runs : one_case.levels) all.insert(all.end(), runs.begin(), runs.end());
    one.per = emitted_by_all(all, study.analysis.per);
    one.quality = worst_quality(all, settings.measure);
    for (const auto* run : all) {
      if (settings.measure != measures::metered) continue;
      for (const auto& domain : run->run.energy.covers)
        if (std::find(one.covers.begin(), one.covers.end(), domain) == one.covers.end())
          one.covers.push_back(domain);
    }
    if (settings.measure != measures::metered) one.covers = {settings.measure};
    bool has_any = false;
    for (std::size_t i = 0; i < one_case.levels.size(); ++i) {
      std::vector<DerivedCost> costs;
      for (const auto* run : one_case.levels[i])
        if (const auto cost = cost_of(run->run, *window, settings, one.per)) costs.push_back(*cost);
      has_any = has_any || !costs.empty();
      one.levels.push_back(level_of(levels[i], costs, settings, one.quality == Quality::model));
    }
    if (has_any) result.cases.push_back(std::move(one));
  }
  return result;
}

}  // namespace prengdl
