// SPDX-License-Identifier: Apache-2.0
#include "stats/clustered_ratio.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// The cases of one cluster on one machine, as one.
struct ClusterCell {
  std::size_t cluster = 0;  // from 0 on, without gaps, and so are machines
  std::size_t machine = 0;
  double log_ratio = 0;
  std::size_t cases = 0;
};

struct ClusterTable {
  std::vector<ClusterCell> cells;
  std::size_t clusters = 0;
  std::size_t machines = 0;
  double within = 0;  // variance of cases within cells, pooled; 0 where no cell has two
};

ClusterTable table_of(std::span<const ClusteredCase> cases) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> by_cell;
  std::map<std::size_t, std::size_t> clusters;
  std::map<std::size_t, std::size_t> machines;
  for (const auto& one : cases) {
    by_cell[{clusters.try_emplace(one.cluster, clusters.size()).first->second,
             machines.try_emplace(one.machine, machines.size()).first->second}]
        .push_back(one.log_ratio);
  }
  ClusterTable table;
  table.clusters = clusters.size();
  table.machines = machines.size();
  double squares = 0;
  std::size_t freedom = 0;
  for (const auto& [place, logs] : by_cell) {
    const double centre = mean(logs);
    table.cells.push_back({place.first, place.second, centre, logs.size()});
    for (const double log : logs) squares += (log - centre) * (log - centre);
    freedom += logs.size() - 1;
  }
  if (freedom > 0) table.within = squares / static_cast<double>(freedom);
  return table;
}

/// Whether cells link every cluster to every machine, so that the effects of both can be separated.
bool is_connected(const ClusterTable& table) {
  std::vector<std::size_t> group(table.clusters + table.machines);
  std::iota(group.begin(), group.end(), 0);
  for (const auto& cell : table.cells) {
    const std::size_t from = group[cell.cluster];
    const std::size_t to = group[table.clusters + cell.machine];
    std::ranges::replace(group, from, to);
  }
  return std::ranges::all_of(group, [&](std::size_t one) { return one == group.front(); });
}

struct ClusterEffects {
  std::vector<double> clusters;
  std::vector<double> machines;
};

/// The means of what `other` leaves of the cells of each cluster or machine.
std::vector<double> means_beyond(const ClusterTable& table, std::size_t count,
                                 std::size_t ClusterCell::*place, std::size_t ClusterCell::*other,
                                 const std::vector<double>& others) {
  std::vector<double> sums(count);
  std::vector<double> cells(count);
  for (const auto& cell : table.cells) {
    sums[cell.*place] += cell.log_ratio - others[cell.*other];
    ++cells[cell.*place];
  }
  for (std::size_t i = 0; i < count; ++i) sums[i] /= cells[i];
  return sums;
}

/// Least squares on the cells, alternating; without missing cells the first turn is exact. Machine
/// effects sum to zero. Where clusters and machines cannot be separated, the plain means of both.
ClusterEffects effects_of(const ClusterTable& table) {
  constexpr auto cluster = &ClusterCell::cluster;
  constexpr auto machine = &ClusterCell::machine;
  ClusterEffects effects;
  effects.machines.assign(table.machines, 0);
  effects.clusters.assign(table.clusters, 0);
  if (!is_connected(table)) {
    effects.machines = means_beyond(table, table.machines, machine, cluster, effects.clusters);
    effects.clusters = means_beyond(table, table.clusters, cluster, machine,
                                    std::vector<double>(table.machines, 0));
    return effects;
  }
  double moved = 1;
  for (int turn = 0; turn < 10000 && moved > 1e-14; ++turn) {
    effects.clusters = means_beyond(table, table.clusters, cluster, machine, effects.machines);
    auto next = means_beyond(table, table.machines, machine, cluster, effects.clusters);
    const double centre = mean(next);
    moved = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] -= centre;
      moved = std::max(moved, std::abs(next[i] - effects.machines[i]));
    }
    effects.machines = std::move(next);
  }
  effects.clusters = means_beyond(table, table.clusters, cluster, machine, effects.machines);
  return effects;
}

double sample_variance(const std::vector<double>& values) {
  return std::pow(standard_deviation(values), 2);
}

/// Half of the 95 % interval of the mean, on logs.
double half_width(const ClusterEffects& effects) {
  const auto clusters = static_cast<double>(effects.clusters.size());
  const double by_cluster = sample_variance(effects.clusters) / clusters;
  const double half = student_factor(0.95, clusters - 1) * std::sqrt(by_cluster);
  if (effects.machines.size() < 2) return half;
  const auto machines = static_cast<double>(effects.machines.size());
  const double by_machine = sample_variance(effects.machines) / machines;
  const double sum = by_cluster + by_machine;
  if (!(sum > 0)) return 0;
  const double freedom =
      sum * sum /
      (by_cluster * by_cluster / (clusters - 1) + by_machine * by_machine / (machines - 1));
  return std::max({half, student_factor(0.95, machines - 1) * std::sqrt(by_machine),
                   student_factor(0.95, freedom) * std::sqrt(sum)});
}

/// The variance between clusters beyond that of the cases within them, where there are several.
double variance_between(const ClusterTable& table, const ClusterEffects& effects) {
  std::vector<std::size_t> most(table.clusters);  // cases of a cluster on one machine
  for (const auto& cell : table.cells)
    most[cell.cluster] = std::max(most[cell.cluster], cell.cases);
  double share = 0;
  for (const std::size_t cases : most) share += 1 / static_cast<double>(cases);
  const double noise = table.within * share / static_cast<double>(table.clusters);
  return std::max(0.0, sample_variance(effects.clusters) - noise);
}

}  // namespace

Result<ClusteredRatio> clustered_ratio(std::span<const ClusteredCase> cases) {
  for (const auto& one : cases)
    if (!std::isfinite(one.log_ratio)) return failure("a ratio needs values above zero");
  const ClusterTable table = table_of(cases);
  if (table.clusters < fewest_clusters)
    return failure("a statement on cases like these needs at least three clusters",
                   "take the statement on these cases, or measure more of them");
  const ClusterEffects effects = effects_of(table);
  const double centre = mean(effects.clusters);
  const double half = half_width(effects);
  const double factor = student_factor(0.95, static_cast<double>(table.clusters - 1));
  const double new_one = std::hypot(half, factor * standard_deviation(effects.clusters));
  ClusteredRatio result;
  result.ratio = std::exp(centre);
  result.ci95 = {std::exp(centre - half), std::exp(centre + half)};
  result.prediction95 = {std::exp(centre - new_one), std::exp(centre + new_one)};
  result.tau = std::sqrt(variance_between(table, effects));
  result.clusters = table.clusters;
  result.machines = table.machines;
  return result;
}

}  // namespace prengdl
