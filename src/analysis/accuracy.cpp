// SPDX-License-Identifier: Apache-2.0
#include "analysis/accuracy.h"

#include <algorithm>
#include <set>

#include "analysis/energy_kind.h"
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

void mark_front(std::vector<LevelAccuracy>& levels, bool lower_is_better) {
  const double sign = lower_is_better ? -1 : 1;
  for (auto& one : levels)
    one.on_front = std::none_of(levels.begin(), levels.end(), [&](const LevelAccuracy& other) {
      const double gain = sign * (other.metric - one.metric);
      return other.cost <= one.cost && gain >= 0 && (other.cost < one.cost || gain > 0);
    });
}

/// Which of two levels costs less cannot be told from modelled energy, nor from other sums.
std::string why_no_front(const UnitRuns& unit, const std::string& measure,
                         const std::optional<Quality>& quality) {
  if (quality == Quality::model) return "the energy is modelled, not measured";
  for (std::size_t i = 0; i < unit.levels.size(); ++i)
    for (std::size_t j = i + 1; j < unit.levels.size(); ++j)
      if (auto reason = other_domains(unit.levels[i], unit.levels[j], measure); !reason.empty())
        return reason;
  return "";
}

/// Known by what all of its levels tell, so that like is set beside like.
std::optional<QualityMeasure> measure_of(const UnitRuns& unit) {
  for (const auto& known : quality_measures()) {
    std::size_t telling = 0, with_runs = 0;
    for (const auto& runs : unit.levels) {
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

}  // namespace

std::span<const QualityMeasure> quality_measures() {
  static constexpr std::array<QualityMeasure, 25> known{{
      {"accuracy", false},
      {"top1_accuracy", false},
      {"top5_accuracy", false},
      {"top1_error", true},
      {"top5_error", true},
      {"ap", false},
      {"map", false},
      {"mean_iou", false},
      {"hit_rate_10", false},
      {"hit_rate", false},
      {"ndcg_10", false},
      {"ndcg", false},
      {"bleu", false},
      {"chrf", false},
      {"rouge_l", false},
      {"perplexity", true},
      {"word_error_rate", true},
      {"wer", true},
      {"f1", false},
      {"auc", false},
      {"roc_auc", false},
      {"r2", false},
      {"rmse", true},
      {"mae", true},
      {"mse", true},
  }};
  return known;
}

std::optional<std::string> Accuracy::only_metric() const {
  if (units.empty()) return std::nullopt;
  for (const auto& unit : units)
    if (unit.metric != units.front().metric) return std::nullopt;
  return units.front().metric;
}

Accuracy energy_against_accuracy(const Study& study, const std::vector<UnitRuns>& units,
                                 const AccuracySettings& settings) {
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  const auto& names = compared_levels(study);
  Accuracy result;
  result.settings = settings;
  std::set<std::string> metrics;
  for (const auto& unit : units) {
    UnitAccuracy one;
    one.cell = unit.cell;
    for (const auto& runs : unit.levels)
      for (const auto* run : runs)
        for (const auto& metric : run->run.metrics) metrics.insert(metric.name);
    const auto measure =
        settings.metric.empty()
            ? measure_of(unit)
            : std::optional(QualityMeasure{settings.metric, settings.lower_is_better});
    if (!measure) continue;
    one.metric = measure->metric;
    one.lower_is_better = measure->lower_is_better;
    std::vector<std::vector<Reached>> outcomes;  // of the levels that have any
    for (std::size_t i = 0; i < unit.levels.size(); ++i) {
      std::vector<Reached> of_level;
      LevelAccuracy level;
      level.level = names[i];
      for (const auto* run : unit.levels[i]) {
        const auto cost = value_in(run->run, *window, settings.measure);
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
    if (one.levels.empty()) continue;
    std::vector<const StoredRun*> all;
    for (const auto& runs : unit.levels) all.insert(all.end(), runs.begin(), runs.end());
    one.quality = worst_quality(all, settings.measure);
    one.reason = why_no_front(unit, settings.measure, one.quality);
    if (one.reason.empty()) {
      mark_front(one.levels, one.lower_is_better);
      for (std::size_t i = 0; i < outcomes.size(); ++i)
        for (std::size_t j = i + 1; j < outcomes.size(); ++j) {
          one.pairs.push_back(dominance_of(outcomes[i], outcomes[j], settings.paired));
          one.pairs.back().pair = {one.levels[i].level, one.levels[j].level};
        }
    }
    result.units.push_back(std::move(one));
  }
  result.metrics.assign(metrics.begin(), metrics.end());
  return result;
}

}  // namespace prengdl
