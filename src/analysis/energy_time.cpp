// SPDX-License-Identifier: Apache-2.0
#include "analysis/energy_time.h"

#include <algorithm>

#include "conclude/energy_kind.h"
#include "model/measure.h"
#include "model/window.h"
#include "stats/correlation.h"
#include "stats/line_fit.h"
#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr std::size_t fewest_points = 3;  // two always lie on a line

struct Points {
  std::vector<double> seconds;
  std::vector<double> joules;
};

TimeRelation relation_of(const Points& points, bool with_p) {
  TimeRelation relation;
  relation.n = points.seconds.size();
  if (const auto ranks = spearman(points.seconds, points.joules)) {
    relation.spearman = ranks->value;
    if (with_p) relation.spearman_p = ranks->p;
  }
  const auto x = logs_of(points.seconds);
  const auto y = logs_of(points.joules);
  if (!x || !y) return relation;
  if (const auto line = fit_line(*x, *y)) {
    relation.pearson = line->pearson;
    relation.slope = line->slope;
    relation.slope_ci95 = line->slope_ci95;
  }
  return relation;
}

Points points_of(const std::vector<const StoredRun*>& runs, const Window& window,
                 const std::string& measure) {
  Points points;
  for (const auto* run : runs) {
    const auto joules = value_in(run->run, window, measure);
    const auto seconds = value_in(run->run, window, measures::seconds);
    if (!joules || !seconds) continue;
    points.joules.push_back(*joules);
    points.seconds.push_back(*seconds);
  }
  return points;
}

bool is_modelled(const std::vector<CaseRuns>& cases, const std::string& measure) {
  for (const auto& one_case : cases)
    for (const auto& runs : one_case.levels)
      if (worst_quality(runs, measure) == Quality::model) return true;
  return false;
}

/// The means of a cell's runs.
struct CellMeans {
  CellPattern cell;
  std::string level;
  double seconds = 0;
  double joules = 0;
};

void add_across(const Study& study, const std::string& measure, const std::vector<CellMeans>& cells,
                std::vector<AcrossTimeRelation>& across) {
  for (const auto& factor : study.factors) {
    if (factor.name == study.analysis.compare) continue;
    for (const auto& level : compared_levels(study)) {
      std::vector<std::pair<CellPattern, Points>> groups;  // in the order of the cells
      for (const auto& cell : cells) {
        if (cell.level != level) continue;
        CellPattern fixed = cell.cell;
        fixed.erase(factor.name);
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& one) { return one.first == fixed; });
        if (group == groups.end()) group = groups.insert(groups.end(), {fixed, {}});
        group->second.seconds.push_back(cell.seconds);
        group->second.joules.push_back(cell.joules);
      }
      for (const auto& [fixed, points] : groups)
        if (points.seconds.size() >= fewest_points)
          across.push_back({factor.name, fixed, level, measure, relation_of(points, true)});
    }
  }
}

}  // namespace

EnergyTime energy_against_time(const Study& study, const std::vector<CaseRuns>& cases,
                               const std::vector<std::string>& measures) {
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  const auto& levels = compared_levels(study);
  EnergyTime result;
  for (const auto& measure : measures) {
    if (is_in_seconds(measure)) continue;
    // Modelled energy is a function of run time and CPU time: it would be compared with itself.
    if (is_modelled(cases, measure)) {
      result.left_out.push_back(measure);
      continue;
    }
    std::vector<CellMeans> cells;
    for (const auto& one_case : cases) {
      for (std::size_t i = 0; i < one_case.levels.size(); ++i) {
        const Points points = points_of(one_case.levels[i], *window, measure);
        if (points.seconds.empty()) continue;
        cells.push_back({one_case.cell, levels[i], mean(points.seconds), mean(points.joules)});
        if (points.seconds.size() >= fewest_points)
          result.within.push_back({one_case.cell, levels[i], measure, relation_of(points, false)});
      }
    }
    add_across(study, measure, cells, result.across);
  }
  return result;
}

}  // namespace prengdl
