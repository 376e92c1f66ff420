// SPDX-License-Identifier: Apache-2.0
#include "analysis/score.h"

#include <algorithm>
#include <set>

#include "conclude/energy_kind.h"
#include "model/window.h"

namespace prengdl {
namespace {

/// A run's two figures; `goal` is the metric, turned so that more is better.
struct Reached {
  const StoredRun* run = nullptr;
  double cost = 0;
  double metric = 0;
  double goal = 0;
};

bool dominates(const Reached& a, const Reached& b) { return a.cost < b.cost && a.goal >= b.goal; }

Dominance dominance_of(const std::vector<Reached>& a, const std::vector<Reached>& b, bool paired) {
  Dominance result;
  result.paired = paired;
  std::array<std::size_t, 2> wins{};
  for (const auto& one : a) {
    for (const auto& other : b) {
      const bool same_block =
          one.run->machine == other.run->machine && one.run->block == other.run->block;
      if (paired && !same_block) continue;
      ++result.n;
      wins[0] += dominates(one, other);
      wins[1] += dominates(other, one);
    }
  }
  if (result.n == 0) return result;
  result.first = static_cast<double>(wins[0]) / static_cast<double>(result.n);
  result.second = static_cast<double>(wins[1]) / static_cast<double>(result.n);
  return result;
}

void mark_front(std::vector<LevelScore>& levels, bool lower_is_better) {
  const double sign = lower_is_better ? -1 : 1;
  for (auto& one : levels)
    one.on_front = std::none_of(levels.begin(), levels.end(), [&](const LevelScore& other) {
      const double gain = sign * (other.metric - one.metric);
      return other.cost <= one.cost && gain >= 0 && (other.cost < one.cost || gain > 0);
    });
}

/// Modelled energy and sums over other domains do not show which of two levels costs less.
std::string why_no_front(const CaseRuns& one_case, const std::string& measure,
                         const std::optional<Quality>& quality) {
  if (quality == Quality::model) return "the energy is modelled, not measured";
  for (std::size_t i = 0; i < one_case.levels.size(); ++i)
    for (std::size_t j = i + 1; j < one_case.levels.size(); ++j)
      if (auto reason = other_domains(one_case.levels[i], one_case.levels[j], measure);
          !reason.empty())
        return reason;
  return "";
}

/// Known by what all of its levels tell, so that like is compared with like.
std::optional<ScoreMetric> measure_of(const CaseRuns& one_case) {
  for (const auto& known : score_metrics()) {
    std::size_t telling = 0, with_runs = 0;
    for (const auto& runs : one_case.levels) {
      if (runs.empty()) continue;
      ++with_runs;
      telling += std::any_of(runs.begin(), runs.end(), [&](const StoredRun* run) {
        return final_metric(run->run, std::string(known.metric)).has_value();
      });
    }
    if (telling > 0 && telling == with_runs) return known;
  }
  return std::nullopt;
}

/// One case by the metric that it is judged by; no levels: no run has both figures.
CaseScores scores_of(const CaseRuns& one_case, const ScoreMetric& by, const Window& window,
                     const std::vector<std::string>& names, const ScoreSettings& settings) {
  CaseScores one;
  one.cell = one_case.cell;
  one.metric = by.metric;
  one.lower_is_better = by.lower_is_better;
  std::vector<std::vector<Reached>> outcomes;  // of the levels that have any
  std::vector<const StoredRun*> all;
  for (std::size_t i = 0; i < one_case.levels.size(); ++i) {
    std::vector<Reached> of_level;
    LevelScore level;
    level.level = names[i];
    for (const auto* run : one_case.levels[i]) {
      all.push_back(run);
      const auto cost = value_in(run->run, window, settings.measure);
      const auto metric = final_metric(run->run, one.metric);
      if (!cost || !metric) continue;
      of_level.push_back({run, *cost, *metric, one.lower_is_better ? -*metric : *metric});
      level.cost += *cost;
      level.metric += *metric;
    }
    if (of_level.empty()) continue;
    level.n = of_level.size();
    level.cost /= static_cast<double>(level.n);
    level.metric /= static_cast<double>(level.n);
    one.levels.push_back(std::move(level));
    outcomes.push_back(std::move(of_level));
  }
  one.quality = worst_quality(all, settings.measure);
  one.reason = why_no_front(one_case, settings.measure, one.quality);
  if (!one.reason.empty()) return one;
  mark_front(one.levels, one.lower_is_better);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    for (std::size_t j = i + 1; j < outcomes.size(); ++j) {
      one.pairs.push_back(dominance_of(outcomes[i], outcomes[j], settings.paired));
      one.pairs.back().pair = {one.levels[i].level, one.levels[j].level};
    }
  return one;
}

}  // namespace

std::optional<std::string> Scores::only_metric() const {
  if (cases.empty()) return std::nullopt;
  for (const auto& one_case : cases)
    if (one_case.metric != cases.front().metric) return std::nullopt;
  return cases.front().metric;
}

Scores cost_against_score(const Study& study, const std::vector<CaseRuns>& cases,
                          const ScoreSettings& settings) {
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  const auto& names = compared_levels(study);
  Scores result;
  result.settings = settings;
  std::set<std::string> metrics;
  for (const auto& one_case : cases) {
    for (const auto& runs : one_case.levels)
      for (const auto* run : runs)
        for (const auto& metric : run->run.metrics) metrics.insert(metric.name);
    const auto by = settings.metric.empty()
                        ? measure_of(one_case)
                        : std::optional(ScoreMetric{settings.metric, settings.lower_is_better});
    if (!by) continue;
    CaseScores one = scores_of(one_case, *by, *window, names, settings);
    if (!one.levels.empty()) result.cases.push_back(std::move(one));
  }
  result.metrics.assign(metrics.begin(), metrics.end());
  return result;
}

}  // namespace prengdl
