// SPDX-License-Identifier: Apache-2.0
#include "analysis/factorial.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "conclude/paired_samples.h"
#include "conclude/work.h"
#include "model/counted_runs.h"
#include "model/window.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Runs = std::vector<const StoredRun*>;

/// Of four factors together nobody can tell what an effect means; it counts as scatter.
constexpr std::size_t largest_interaction = 3;
using Levels = std::vector<std::size_t>;  // one of each factor

/// A run with its place in the experiment.
struct Placed {
  const StoredRun* run = nullptr;
  Levels levels;
  double value = 0;
};

/// The counted runs of cells that the study has; it need not compare anything.
Runs runs_of_study(const Study& study, const std::vector<StoredRun>& runs, bool paired) {
  const auto cells = cells_of(study);
  const std::set<Cell> known(cells.begin(), cells.end());
  Runs counted = counted_runs(runs, paired);
  std::erase_if(counted, [&](const StoredRun* run) { return !known.contains(run->cell); });
  return counted;
}

/// Factors with more than one level among the runs: the others explain nothing.
std::vector<std::size_t> varied_factors(const Study& study, const Runs& runs) {
  std::vector<std::size_t> varied;
  for (std::size_t i = 0; i < study.factors.size(); ++i) {
    std::set<std::string> seen;
    for (const auto* run : runs) seen.insert(run->cell[i]);
    if (seen.size() > 1) varied.push_back(i);
  }
  return varied;
}

/// The sweep while it is taken apart.
class Sweep {
 public:
  Sweep(const Study& study, const std::vector<StoredRun>& runs, const std::string& measure,
        const FactorialSettings& settings)
      : study_(study), settings_(settings) {
    if (study.factors.empty())
      throw Error("the study varies nothing: there is no factor to look at");
    const auto window = parse_window(study.analysis.window);
    if (!window) throw Error(window.error());
    const Runs good = runs_of_study(study, runs, settings.paired);
    view_.measure = measure;
    view_.per = emitted_by_all(good, study.analysis.per);
    Runs with_value;
    for (const auto* run : good)
      if (cost(*run, *window)) with_value.push_back(run);
    chosen_ = varied_factors(study, with_value);
    if (chosen_.empty())
      throw Error(fmt::format("no factor has two levels with a figure for {}", measure),
                  "see what was measured with: prengdl status RESULT");
    std::vector<std::map<std::string, std::size_t>> place_of_level;
    for (const std::size_t factor : chosen_) {
      levels_.push_back(seen_levels(factor, with_value));
      auto& places = place_of_level.emplace_back();
      for (const auto& level : levels_.back()) places.try_emplace(level, places.size());
    }
    for (const auto* run : with_value) {
      Placed placed{run, {}, *cost(*run, *window)};
      for (std::size_t i = 0; i < chosen_.size(); ++i)
        placed.levels.push_back(place_of_level[i].at(run->cell[chosen_[i]]));
      if (const auto quality = quality_in(run->run, measure))
        view_.quality = std::max(view_.quality.value_or(*quality), *quality);
      placed_.push_back(std::move(placed));
    }
  }

  FactorialView look() {
    count_cells();
    if (settings_.paired) keep_complete_blocks();
    view_.runs = placed_.size();
    const bool is_balanced = view_.short_cells.empty();
    const bool has_all_cells = cell_values().size() == all_cells();
    view_.basis = is_balanced     ? FactorialBasis::runs
                  : has_all_cells ? FactorialBasis::cell_means
                                  : FactorialBasis::levels_alone;
    add_factors();
    if (view_.basis == FactorialBasis::runs) analyse_runs();
    if (view_.basis == FactorialBasis::cell_means) analyse_cell_means();
    if (view_.basis == FactorialBasis::levels_alone)
      view_.notes.emplace_back(
          "some combinations were never run, so there are no shares of variation. Means of a "
          "factor's levels use the combinations of the others that all of its levels have");
    if (!any_randomised())
      view_.notes.emplace_back(
          settings_.paired
              ? "the runs were made in the written order: changes over time cannot be separated "
                "from the factors, so nothing is tested"
              : "the runs were not randomised by prengdl: changes over time cannot be separated "
                "from the factors, so nothing is tested");
    return std::move(view_);
  }

 private:
  std::optional<double> cost(const StoredRun& run, const Window& window) const {
    const auto value = value_in(run.run, window, view_.measure);
    if (!value || *value <= 0) return std::nullopt;
    if (!view_.per) return value;
    const auto work = work_of(run.run, *view_.per);
    if (!work) return std::nullopt;
    return *value / *work;
  }

  std::vector<std::string> seen_levels(std::size_t factor, const Runs& runs) const {
    std::set<std::string> in_runs;
    for (const auto* run : runs) in_runs.insert(run->cell[factor]);
    std::vector<std::string> seen;
    for (const auto& level : study_.factors[factor].levels)
      if (in_runs.contains(level)) seen.push_back(level);
    return seen;
  }

  std::size_t all_cells() const {
    std::size_t cells = 1;
    for (const auto& names : levels_) cells *= names.size();
    return cells;
  }

  std::map<Levels, std::vector<double>> cell_values() const {
    std::map<Levels, std::vector<double>> values;
    for (const auto& placed : placed_) values[placed.levels].push_back(std::log(placed.value));
    return values;
  }

  /// Which combinations have fewer runs than the best.
  void count_cells() {
    view_.short_cells.clear();
    const auto values = cell_values();
    std::size_t most = 0;
    for (const auto& [levels, logs] : values) most = std::max(most, logs.size());
    Levels levels(chosen_.size(), 0);
    for (std::size_t i = 0; i < all_cells(); ++i) {
      const auto found = values.find(levels);
      const std::size_t runs = found == values.end() ? 0 : found->second.size();
      if (runs < most) view_.short_cells.push_back({names_of(levels), runs, most});
      for (std::size_t k = chosen_.size(); k-- > 0;) {
        if (++levels[k] < levels_[k].size()) break;
        levels[k] = 0;
      }
    }
  }

  Cell names_of(const Levels& levels) const {
    Cell names;
    for (std::size_t i = 0; i < levels.size(); ++i) names.push_back(levels_[i][levels[i]]);
    return names;
  }

  /// A block that lacks a cell upsets the balance of all; without it the rest is balanced. With
  /// fewer than two whole blocks every run is kept instead.
  void keep_complete_blocks() {
    std::map<std::pair<std::string, std::size_t>, std::size_t> sizes;
    for (const auto& placed : placed_) ++sizes[{placed.run->machine, placed.run->block}];
    const auto is_whole = [&](const Placed& placed) {
      return sizes[{placed.run->machine, placed.run->block}] == all_cells();
    };
    const auto whole = std::count_if(sizes.begin(), sizes.end(),
                                     [&](const auto& size) { return size.second == all_cells(); });
    if (whole < 2 || static_cast<std::size_t>(whole) == sizes.size()) return;
    const std::size_t before = placed_.size();
    std::vector<Placed> kept;
    std::copy_if(placed_.begin(), placed_.end(), std::back_inserter(kept), is_whole);
    placed_ = std::move(kept);
    view_.left_out = before - placed_.size();
    view_.notes.push_back(
        fmt::format("{} of {} blocks lack a cell and are left out with their {} runs",
                    sizes.size() - static_cast<std::size_t>(whole), sizes.size(), view_.left_out));
    count_cells();
  }

  bool is_randomised(std::size_t factor) const {
    return settings_.paired && study_.protocol.order != Order::as_written &&
           study_.factors[factor].name != "machine";
  }

  bool any_randomised() const {
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [&](std::size_t factor) { return is_randomised(factor); });
  }

  /// Like with like: only combinations of the other factors that all levels have.
  void add_factors() {
    std::map<Levels, double> means;
    for (const auto& [levels, logs] : cell_values()) means[levels] = mean(logs);
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      FactorCosts factor{study_.factors[chosen_[k]].name, is_randomised(chosen_[k]), {}};
      std::map<Levels, std::size_t> others;
      for (const auto& [levels, value] : means) ++others[without(levels, k)];
      double sum = 0;
      for (std::size_t level = 0; level < levels_[k].size(); ++level) {
        std::vector<double> logs;
        for (const auto& [levels, value] : means)
          if (levels[k] == level && others[without(levels, k)] == levels_[k].size())
            logs.push_back(value);
        LevelCost one{levels_[k][level], 0, logs.size(), 0, 1};
        one.runs = static_cast<std::size_t>(
            std::count_if(placed_.begin(), placed_.end(),
                          [&](const Placed& placed) { return placed.levels[k] == level; }));
        if (!logs.empty()) one.geomean = std::exp(mean(logs));
        sum += logs.empty() ? 0 : mean(logs);
        factor.levels.push_back(std::move(one));
      }
      const double middle = std::exp(sum / static_cast<double>(factor.levels.size()));
      // Where no combination has all levels there is nothing to compare.
      if (factor.levels.front().cells == 0) continue;
      for (auto& level : factor.levels) level.effect = level.geomean / middle;
      view_.factors.push_back(std::move(factor));
    }
  }

  static Levels without(Levels levels, std::size_t k) {
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(k));
    return levels;
  }

  FactorialData empty_data() const {
    FactorialData data;
    for (std::size_t k = 0; k < chosen_.size(); ++k)
      data.factors.push_back(
          {study_.factors[chosen_[k]].name, levels_[k], is_randomised(chosen_[k])});
    return data;
  }

  void analyse_runs() {
    FactorialData data = empty_data();
    std::map<std::string, std::size_t> machines;
    std::map<std::pair<std::string, std::size_t>, std::size_t> blocks;
    for (const auto& placed : placed_) {
      machines.try_emplace(placed.run->machine, machines.size());
      blocks.try_emplace({placed.run->machine, placed.run->block}, blocks.size());
    }
    const bool has_machines = machines.size() > 1;
    const bool has_blocks = settings_.paired && blocks.size() > 1;
    if (has_machines) data.groupings.emplace_back("machine");
    if (has_blocks) data.groupings.emplace_back("block");
    for (const auto& placed : placed_) {
      FactorialRun run{placed.levels, {}, placed.value};
      if (has_machines) run.groups.push_back(machines.at(placed.run->machine));
      if (has_blocks) run.groups.push_back(blocks.at({placed.run->machine, placed.run->block}));
      data.runs.push_back(std::move(run));
    }
    AnovaOptions options{true, std::min(largest_interaction, chosen_.size())};
    const bool is_saturated = placed_.size() == all_cells() && options.order == chosen_.size();
    if (is_saturated && chosen_.size() > 1) {
      --options.order;
      view_.notes.emplace_back(
          "each combination was run once: the joint effect of all factors cannot be separated from "
          "the "
          "scatter of the runs and counts as such");
    }
    take(anova(data, options));
    if (auto advice = scale_advice(data, options)) view_.scale = *advice;
  }

  void analyse_cell_means() {
    FactorialData data = empty_data();
    for (const auto& [levels, logs] : cell_values())
      data.runs.push_back({levels, {}, std::exp(mean(logs))});
    take(anova(data, {true, std::min(largest_interaction, chosen_.size())}));
    view_.notes.emplace_back(
        "the combinations have unequal numbers of runs: each counts the same, and the shares are "
        "those of the variation between combinations, without that of the runs");
    if (view_.anova)
      for (auto& term : view_.anova->terms) {
        term.f.reset();
        term.p.reset();
      }
  }

  void take(Result<Anova> result) {
    if (!result) {
      view_.notes.emplace_back(result.error().what());
      return;
    }
    view_.anova = std::move(*result);
    if (view_.quality != Quality::model) return;
    for (auto& term : view_.anova->terms) {
      term.f.reset();
      term.p.reset();
    }
    view_.notes.emplace_back("the energy is modelled from time and CPU time: nothing is tested");
  }

  const Study& study_;
  const FactorialSettings& settings_;
  FactorialView view_;
  std::vector<std::size_t> chosen_;               // factors with two levels or more
  std::vector<std::vector<std::string>> levels_;  // of these, as far as they were run
  std::vector<Placed> placed_;
};

}  // namespace

FactorialView factorial_view(const Study& study, const std::vector<StoredRun>& runs,
                             const std::string& measure, const FactorialSettings& settings) {
  return Sweep(study, runs, measure, settings).look();
}

}  // namespace prengdl
