// SPDX-License-Identifier: Apache-2.0
#include "analysis/cost_to_score.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "conclude/energy_kind.h"
#include "model/measure.h"
#include "model/totals.h"
#include "model/window.h"

namespace prengdl {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

std::vector<const SpanEnergy*> epochs_of(const Run& run, const std::string& span) {
  std::vector<const SpanEnergy*> epochs;
  for (const auto& one : run.spans)
    if (one.span.span == span) epochs.push_back(&one);
  std::sort(epochs.begin(), epochs.end(), [](const SpanEnergy* a, const SpanEnergy* b) {
    return a->span.end_ns < b->span.end_ns;
  });
  return epochs;
}

std::optional<double> figure_of(const Totals& totals, const std::string& measure) {
  if (measure == measures::metered)
    return totals.metered ? std::optional(totals.metered->value.value) : std::nullopt;
  const auto domain = totals.domains.find(measure);
  return domain == totals.domains.end() ? std::nullopt : std::optional(domain->second.value.value);
}

/// From the run's start to a moment, by the one road from samples to joules.
std::optional<double> energy_until(const StoredRun& run, std::int64_t end_ns,
                                   const CostToScoreSettings& settings) {
  if (!settings.samples || end_ns <= run.run.begin_ns) return std::nullopt;
  std::vector<std::optional<EnergyCurve>> curves(run.meters.size());
  for (std::size_t i = 0; i < run.meters.size(); ++i)
    if (is_energy(run.meters[i]) && run.meters[i].counted != Counted::channel)
      curves[i].emplace(run.meters[i], std::vector<std::int64_t>{run.run.begin_ns, end_ns});
  settings.samples(run.id, [&](std::uint16_t meter, const Reading& reading) {
    if (meter < curves.size() && curves[meter]) curves[meter]->add(reading);
  });
  std::vector<MeterEnergy> energies;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!curves[i]) continue;
    curves[i]->finish();
    auto energy = curves[i]->window(0, 1);
    if (energy && !curves[i]->is_resolved(0, 1)) energy.reset();
    energies.push_back({&run.meters[i], energy});
  }
  return figure_of(total(energies), settings.measure);
}

/// Over the epochs up to one of them; nothing if one has no figure.
std::optional<double> energy_of_epochs(const std::vector<const SpanEnergy*>& epochs,
                                       std::size_t last, const std::string& measure) {
  double sum = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    const auto joules = figure_of(epochs[i]->energy, measure);
    if (!joules) return std::nullopt;
    sum += *joules;
  }
  return sum;
}

/// The middle of values of which some are without end; nothing if the middle is.
std::optional<double> finite_median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double middle = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  return middle < never ? std::optional(middle) : std::nullopt;
}

/// A run that emits the metric: the joules to the target, or `never`.
struct CostToTarget {
  const StoredRun* run = nullptr;
  double joules = never;
};

LevelCostToScore level_of(const std::string& name, const std::vector<const StoredRun*>& runs,
                          const CostToScoreSettings& settings, std::vector<CostToTarget>& reaches) {
  LevelCostToScore level;
  level.level = name;
  std::vector<double> joules;
  std::vector<double> seconds;
  double sum = 0;
  bool has_all_joules = true;
  for (const auto* run : runs) {
    const auto [is_emitted, reach] = cost_to_score_of(*run, settings);
    if (!is_emitted) {
      ++level.untold;
      continue;
    }
    ++(reach ? level.reached : level.not_reached);
    seconds.push_back(reach ? reach->seconds : never);
    if (reach && !reach->joules) {
      has_all_joules = false;
      continue;
    }
    joules.push_back(reach ? *reach->joules : never);
    reaches.push_back({run, joules.back()});
    if (!reach) continue;
    sum += *reach->joules;
    level.whole = level.whole && reach->whole;
  }
  level.median_seconds = finite_median(seconds);
  if (!has_all_joules) return level;
  level.median_joules = finite_median(joules);
  if (level.reached > 0) level.mean_joules = sum / static_cast<double>(level.reached);
  return level;
}

CostToScorePair pair_of(const std::vector<CostToTarget>& a, const std::vector<CostToTarget>& b,
                        bool paired) {
  CostToScorePair result;
  double wins = 0;
  for (const auto& one : a) {
    for (const auto& other : b) {
      if (paired && (one.run->machine != other.run->machine || one.run->block != other.run->block))
        continue;
      ++result.n;
      wins += one.joules < other.joules ? 1.0 : one.joules == other.joules ? 0.5 : 0.0;
    }
  }
  if (result.n > 0) result.first_less = wins / static_cast<double>(result.n);
  return result;
}

}  // namespace

RunCostToScore cost_to_score_of(const StoredRun& run, const CostToScoreSettings& settings) {
  RunCostToScore result;
  const auto epochs = epochs_of(run.run, settings.span);
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const Span& epoch = epochs[i]->span;
    bool is_reached = false;
    for (const auto& metric : run.run.metrics) {
      if (metric.name != settings.metric || metric.at_ns < epoch.begin_ns ||
          metric.at_ns > epoch.end_ns)
        continue;
      result.is_emitted = true;
      is_reached = is_reached || (settings.lower_is_better ? metric.value <= settings.target
                                                           : metric.value >= settings.target);
    }
    if (!is_reached) continue;
    CostToScore& reach = result.reach.emplace();
    reach.epoch = epoch.name;
    reach.seconds = seconds_between(run.run.begin_ns, epoch.end_ns).count();
    reach.joules = energy_until(run, epoch.end_ns, settings);
    reach.whole = reach.joules.has_value();
    if (!reach.joules) reach.joules = energy_of_epochs(epochs, i, settings.measure);
    return result;
  }
  return result;
}

CostsToScore cost_to_score(const Study& study, const std::vector<CaseRuns>& cases,
                           const CostToScoreSettings& settings) {
  const auto& names = compared_levels(study);
  CostsToScore result{settings, {}};
  for (const auto& one_case : cases) {
    CaseCostToScore one;
    one.cell = one_case.cell;
    std::vector<std::vector<CostToTarget>> reaches(one_case.levels.size());
    std::vector<const StoredRun*> all;
    bool any_emitted = false;
    for (std::size_t i = 0; i < one_case.levels.size(); ++i) {
      one.levels.push_back(level_of(names[i], one_case.levels[i], settings, reaches[i]));
      any_emitted = any_emitted || one.levels.back().reached + one.levels.back().not_reached > 0;
      all.insert(all.end(), one_case.levels[i].begin(), one_case.levels[i].end());
    }
    one.quality = worst_quality(all, settings.measure);
    if (!any_emitted) continue;
    for (std::size_t i = 0; i < reaches.size() && one.quality != Quality::model; ++i)
      for (std::size_t j = i + 1; j < reaches.size(); ++j) {
        CostToScorePair pair = pair_of(reaches[i], reaches[j], settings.paired);
        if (pair.n == 0) continue;
        if (!other_domains(one_case.levels[i], one_case.levels[j], settings.measure).empty())
          continue;
        pair.pair = {names[i], names[j]};
        one.pairs.push_back(std::move(pair));
      }
    result.cases.push_back(std::move(one));
  }
  return result;
}

}  // namespace prengdl
