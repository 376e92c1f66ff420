// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace prengdl {

/// From so many values in a series on, its dependence can be judged. With fewer, say so next to a
/// finding, although six cases of ten pairs together already show a correlation of 0.5.
constexpr std::size_t smallest_to_judge_dependence = 30;

/// How strongly successive values of several series depend on each other.
struct Dependence {
  /// Lag-1 autocorrelation over all series, corrected for the bias of short ones.
  double pooled = 0;
  /// `pooled` exceeds what one in ten families of independent values reaches.
  bool shown = false;
  /// What to pass to a test of each series: `pooled` where it is shown, a series' own correlation
  /// where that one is larger and exceeds what one in a hundred independent series reaches, else 0.
  std::vector<double> of_series;
};

/// The dependence within each series, in the order in which the values were taken: the differences
/// of logs of each case of a family, or the logs of each level where runs are not paired. Each is
/// centred by itself; weights are inverse variances under independence (Moran 1948), the bias is
/// that of Marriott and Pope (Biometrika 41, 1954). Series below six values or without spread count
/// as independent.
Dependence dependence(std::span<const std::vector<double>> series);

/// n (1 - r) / (1 + r): how many independent values tell as much about a mean as n values of a
/// first-order autoregressive series. Between 2 and n; a negative correlation gives n.
double effective_n(std::size_t n, double correlation);

}  // namespace prengdl
