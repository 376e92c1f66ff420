// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/error.h"

namespace prengdl {

/// The ratio of one case, with the cluster (a model, say) and the machine it belongs to.
struct ClusteredCase {
  double log_ratio = 0;
  std::size_t cluster = 0;
  std::size_t machine = 0;
};

/// What cases say about *cases like these*: other clusters, and other machines where there are
/// several.
struct ClusteredRatio {
  double ratio = 1;
  std::array<double, 2> ci95{};          // of the geometric mean over the population
  std::array<double, 2> prediction95{};  // of a new cluster's geometric mean over as many cases
  double tau = 0;                        // standard deviation of logs between clusters
  std::size_t clusters = 0;
  std::size_t machines = 0;
};

constexpr std::size_t fewest_clusters = 3;

/// The geometric mean over a population of clusters, from cases that are crossed with clusters and
/// machines; cells may be missing. Cases of one cluster on one machine are averaged first. With one
/// machine: Student's t on the means of clusters. With several: cluster and machine effects are
/// fitted to the cells, and the interval is the widest of three: t over clusters, t over machines,
/// and t with the sum of both variances and Satterthwaite's degrees of freedom. With two machines
/// it is wide, as two machines tell little about a third, and covers up to 99 %. Refuses fewer than
/// three clusters.
Result<ClusteredRatio> clustered_ratio(std::span<const ClusteredCase> cases);

}  // namespace prengdl
