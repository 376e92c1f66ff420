// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"
#include "meters/meter.h"
#include "model/baseline.h"
#include "model/run.h"

namespace prengdl {

/// A machine counts as settled when its power is within this share of the baseline, or fell by less
/// from one look to the next.
constexpr double default_power_band = 0.05;

/// Returns true when the user wants to stop; called while waiting.
using WantsToStop = std::function<bool()>;

/// The mean power of every energy meter over `duration`, with nothing of ours running.
Baseline measure_baseline(const Meters& meters, Seconds duration, Clock& clock,
                          const WantsToStop& stop = {});

/// Waits until the machine is as quiet as it was at the baseline, or, without one, until its power
/// no longer falls; without a meter, until little CPU time is used; and until it is no warmer than
/// at the baseline. At most `at_most`.
Settling settle(const Meters& meters, const std::optional<Baseline>& baseline, Seconds at_most,
                const std::filesystem::path& root, Clock& clock, const WantsToStop& stop = {},
                double band = default_power_band);

}  // namespace prengdl
