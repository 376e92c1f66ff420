// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/window.h"

namespace prengdl {

/// How far the sensors behind two levels may shift the logarithm of their ratio.
///
/// A sensor k shows g_k times the true energy plus o_k watts. Its gain and offset stay the same in
/// all of its runs. With the share s_k of its energy in a run of E joules and t seconds, the
/// logarithm of a ratio of geometric means changes by w_k for each unit of the gain and by v_k for
/// each watt of the offset:
///   w_k = mean over the runs of a of s_k - mean over the runs of b of s_k, v_k likewise with t /
///   E.
/// So a sensor that reads both levels in equal shares cancels. Gains and offsets of different
/// sensors are independent (GUM, JCGM 100:2008, 5.1.2):
///   standard_error^2 = sum over k of (w_k u(g_k))^2 + (v_k u(o_k))^2,
/// with u = limit / sqrt(3) for a quantity that lies within limits (4.3.7).
struct SensorAccuracy {
  /// Of the logarithm of the ratio, from the sensors alone. Nothing if the accuracy is not known
  /// for a sensor that does not cancel.
  std::optional<double> standard_error;
  /// Whether the sensors differ between the levels: other cards or machines, other shares of the
  /// domains, or an offset that weighs more in one of them. Then "less" needs the wider interval.
  bool needed = false;
  /// The sum of |w_k| over sensors whose accuracy is not known.
  double unknown_weight = 0;
  /// Why there is no standard error; or, with one, why sensors that cancel by the formula may not.
  std::string reason;
};

/// `a` and `b` are the runs that the ratio was estimated from: of pairs, both. Meters of one domain
/// (two sockets, four GPUs) are taken to have equal shares of it, as their energies are not stored
/// apart. `machines`: those of the result; RAPL has no known accuracy without them. Times need no
/// sensor.
SensorAccuracy sensor_accuracy(const std::vector<const StoredRun*>& a,
                               const std::vector<const StoredRun*>& b, const std::string& measure,
                               const Window& window, std::span<const MachineRecord> machines);

/// The 95 % interval of a ratio including sensor accuracy: each side of the statistical one (on
/// logarithms) and 1.96 standard errors of the sensors added in quadrature.
std::array<double, 2> with_sensor_accuracy(double ratio, const std::array<double, 2>& ci95,
                                           double standard_error);

/// How far all sensors of unknown accuracy would have to be off, as a share and in the worst
/// directions, before the interval reached 1. Nothing if it does already, or if none matters.
std::optional<double> tipping_gain(const SensorAccuracy& accuracy,
                                   const std::array<double, 2>& ci95);

/// Joules that the meters behind a measure cannot tell apart in a whole run: a counter's quantum; a
/// gauge's quantum times the seconds; of a counter that does not state its step, the run's
/// uncertainty, which covers the step that was learnt. The sum over all of them; nothing if none
/// states any, or if the measure is a time.
std::optional<double> energy_step(const StoredRun& run, const std::string& measure);

}  // namespace prengdl
