// SPDX-License-Identifier: Apache-2.0
#include "serve/score_curves.h"

#include <cmath>

#include "model/measure.h"

namespace prengdl {
namespace {

constexpr std::size_t most_curves = 5;  // of a cell
constexpr std::size_t most_points = 60;
constexpr std::size_t most_metrics = 8;

/// Evenly spread, with the first and the last.
template <class Point>
std::vector<Point> thinned_points(const std::vector<Point>& points) {
  if (points.size() <= most_points) return points;
  std::vector<Point> kept;
  for (std::size_t i = 0; i < most_points; ++i)
    kept.push_back(points[i * (points.size() - 1) / (most_points - 1)]);
  return kept;
}

}  // namespace

void ScoreCurves::add(const StoredRun& run) {
  std::map<std::string, Curve> curves;
  for (const auto& metric : run.run.metrics) {
    if (is_latency(metric.name) || !std::isfinite(metric.value)) continue;
    Curve& curve = curves[metric.name];
    curve.block = run.block;
    const double place = static_cast<double>(curve.points.size() + 1);
    curve.points.emplace_back(metric.step ? static_cast<double>(*metric.step) : place,
                              metric.value);
  }
  for (auto& [name, curve] : curves) {
    if (!metrics_.contains(name) && metrics_.size() >= most_metrics) continue;
    curve.points = thinned_points(curve.points);
    auto& runs = metrics_[name];
    runs.push_back(std::move(curve));
    if (runs.size() > most_curves) runs.pop_front();
  }
}

Json ScoreCurves::json() const {
  Json json = Json::object();
  for (const auto& [name, curves] : metrics_)
    for (const auto& curve : curves)
      json[name].push_back({{"block", curve.block}, {"points", curve.points}});
  return json;
}

}  // namespace prengdl
