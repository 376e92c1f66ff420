// SPDX-License-Identifier: Apache-2.0
#include "conclude/level_pair.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/strings.h"
#include "conclude/energy_kind.h"
#include "conclude/score_difference.h"
#include "model/measure.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"
#include "stats/value_step.h"

namespace prengdl {
namespace {

using Runs = LevelPair::Runs;

/// A ratio with its interval, for the parts that an energy ratio is made of.
std::optional<Ratio> ratio_with_interval(const TwoSamples& samples, bool is_paired) {
  const auto plain = plain_ratio(samples);
  if (!plain) return std::nullopt;
  const auto known = log_ratio_of_samples(samples, {.is_paired = is_paired});
  if (!known || !(known->standard_error > 0)) return Ratio{*plain, {}, {}};
  return Ratio{known->ratio, known->ci95, known->p};
}

bool is_disturbed(const StoredRun* run) { return run->run.flags.contains(Flag::disturbed); }

}  // namespace

LevelPair::LevelPair(const AnalysisPlan& plan, const CompareSettings& settings,
                     const Window& window, const std::array<std::string, 2>& levels, const Runs& a,
                     const Runs& b, std::size_t largest_exact_tied)
    : plan_(plan),
      settings_(settings),
      window_(window),
      levels_(levels),
      runs_{&a, &b},
      largest_exact_tied_(largest_exact_tied),
      order_(order_of_runs(a, b, levels, settings.paired)),
      work_(agree_on_work(a, b, plan)) {}

PairDraft LevelPair::draft(const std::string& measure) const {
  PairDraft draft;
  Comparison& result = draft.comparison;
  result.measure = measure;
  result.pair = levels_;
  result.paired = order_.is_paired;
  result.pairing = order_.pairing;
  if (!is_latency(measure)) result.per = work_.per;
  draft.facts.is_paired = order_.is_paired;
  draft.facts.largest_exact_tied = largest_exact_tied_;
  draft.samples = two_samples(*runs_[0], *runs_[1], order_.is_paired,
                              [&](const Run& run) { return cost(run, measure); });
  result.levels = {figures(0, draft.samples, measure), figures(1, draft.samples, measure)};
  result.n = std::min(draft.samples.a.size(), draft.samples.b.size());
  result.quality = quality(measure);
  decompose(measure, result);
  result.score = score_difference(*runs_[0], *runs_[1], order_.is_paired, plan_);
  add_caveats(result);
  if (!result.has(Caveat::confounded_machine) && !machines_apart(draft.samples).empty())
    result.caveats.push_back(confounded_machine());
  draft.facts.sample.step = step(measure, draft.samples);
  result.by_machine = ratios_by_machine(draft.samples, draft.facts);
  for (auto& one : result.by_machine) one.name = shown_name(settings_.machines, one.machine);
  if (is_energy_measure(measure) && result.quality && *result.quality != Quality::model) {
    const auto [a, b] =
        order_.is_paired ? partnered(*runs_[0], *runs_[1]) : std::array{*runs_[0], *runs_[1]};
    draft.sensors = sensor_accuracy(a, b, measure, window_, settings_.machines);
  }
  if (result.quality == Quality::model) {
    result.verdict = Verdict::modelled;
    result.reason = "the energy is modelled, not measured";
    return draft;
  }
  std::string why = work_.trouble;
  if (why.empty()) why = other_domains(*runs_[0], *runs_[1], measure);
  if (why.empty()) why = machines_apart(draft.samples);
  if (!why.empty()) {
    result.verdict = Verdict::not_comparable;
    result.reason = std::move(why);
  }
  return draft;
}

std::optional<double> LevelPair::cost(const Run& run, const std::string& measure) const {
  const auto value = value_in(run, window_, measure);
  if (!value || !work_.per || is_latency(measure)) return value;
  const auto work = work_of(run, *work_.per);
  return work ? std::optional(*value / *work) : std::nullopt;
}

std::optional<double> LevelPair::watts(const Run& run, const std::string& measure) const {
  const auto joules = value_in(run, window_, measure);
  const auto seconds = value_in(run, window_, measures::seconds);
  if (!joules || !seconds || *seconds <= 0) return std::nullopt;
  return *joules / *seconds;
}

std::optional<Quality> LevelPair::quality(const std::string& measure) const {
  const auto first = worst_quality(*runs_[0], measure);
  const auto second = worst_quality(*runs_[1], measure);
  return first && second ? std::max(first, second) : (first ? first : second);
}

/// Of the runs that the ratio is made of, so that costs and ratio agree; without any pair, of all.
LevelFigures LevelPair::figures(std::size_t place, const TwoSamples& samples,
                                const std::string& measure) const {
  std::vector<double> values = place == 0 ? samples.a : samples.b;
  if (samples.a.empty() || samples.b.empty()) {
    values.clear();
    for (const auto* run : *runs_[place])
      if (const auto figure = cost(run->run, measure)) values.push_back(*figure);
  }
  LevelFigures figures;
  figures.level = levels_[place];
  figures.n = values.size();
  if (values.empty()) return figures;
  const Summary summary = summarise(values);
  figures.mean = summary.mean;
  figures.median = summary.median;
  figures.sd = summary.sd;
  if (const auto logs = logs_of(values)) figures.geomean = std::exp(mean(*logs));
  return figures;
}

/// What values cannot tell apart, in their unit: the largest step of a meter behind them, or the
/// grid that they lie on.
double LevelPair::step(const std::string& measure, const TwoSamples& samples) const {
  std::vector<double> values = samples.a;
  values.insert(values.end(), samples.b.begin(), samples.b.end());
  double largest = value_step(values).value_or(0);
  if (!is_energy_measure(measure)) return largest;
  for (const auto* runs : runs_)
    for (const auto* run : *runs) {
      const auto joules = energy_step(*run, measure);
      const auto work = work_.per ? work_of(run->run, *work_.per) : std::optional(1.0);
      if (joules && work) largest = std::max(largest, *joules / *work);
    }
  return largest;
}

void LevelPair::decompose(const std::string& measure, Comparison& result) const {
  if (is_in_seconds(measure)) return;
  const auto of = [&](const ValueOf& value) {
    return ratio_with_interval(two_samples(*runs_[0], *runs_[1], order_.is_paired, value),
                               order_.is_paired);
  };
  // Of the same runs: one without a figure of energy says nothing about its parts.
  result.time = of([&](const Run& run) {
    return value_in(run, window_, measure) ? cost(run, measures::seconds) : std::nullopt;
  });
  result.power = of([&](const Run& run) { return watts(run, measure); });
}

/// Why the levels cannot be separated from the machines that ran them; empty if they can.
std::string LevelPair::machines_apart(const TwoSamples& samples) const {
  if (samples.a.empty() || samples.b.empty() || !common_machines(samples).empty()) return "";
  const auto on = [&](const std::vector<std::string>& machines) {
    const std::set<std::string> all(machines.begin(), machines.end());
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const auto& machine : all) names.push_back(shown_name(settings_.machines, machine));
    constexpr std::size_t most = 3;
    if (names.size() <= most) return listed(names);
    return fmt::format("{} machines", names.size());
  };
  return fmt::format("no machine ran both levels ({} ran on {}, {} on {})", levels_[0],
                     on(samples.machines_a), levels_[1], on(samples.machines_b));
}

/// What the runs and their order do to any comparison of them.
void LevelPair::add_caveats(Comparison& result) const {
  if (order_.caveat) result.caveats.push_back(*order_.caveat);
  const std::size_t all = runs_[0]->size() + runs_[1]->size();
  const auto disturbed =
      static_cast<std::size_t>(std::count_if(runs_[0]->begin(), runs_[0]->end(), is_disturbed) +
                               std::count_if(runs_[1]->begin(), runs_[1]->end(), is_disturbed));
  if (disturbed * 10 >= all && disturbed > 0)
    result.caveats.push_back(
        {Caveat::disturbed, fmt::format("{} of {} runs were disturbed", disturbed, all)});
}

}  // namespace prengdl
