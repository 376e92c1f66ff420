// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/input.h"
#include "base/units.h"

namespace prengdl {

/// What the readings of one meter showed within a run's window.
struct MeterSeries {
  std::size_t readings = 0;
  std::size_t failures = 0;
  Seconds shortest{};  // intervals between readings that differ in time
  Seconds median{};
  Seconds longest{};
  Seconds in_gaps{};  // the sum of intervals of more than twice the median
  std::size_t gaps = 0;
  Seconds covered{};              // from the first reading to the last
  std::optional<double> first;    // a gauge's value at the start, in the meter's unit
  std::optional<double> highest;  // of a gauge
  std::size_t above_limit = 0;    // readings above what the card can, where that is known
};

/// One pass over the samples of a run: how they were taken, where the run started from, and the
/// energy that they give once more.
struct RunSeries {
  std::vector<MeterSeries> meters;       // by the samples' meter index; empty: there are no samples
  std::map<std::string, Joules> energy;  // by domain, from the samples
};

RunSeries read_series(const AuditInput& input, const StoredRun& run);

/// A series of the GPU's memory in use, power or temperature.
bool is_gpu_memory(const MeterInfo& info);
bool is_gpu_power(const MeterInfo& info);
bool is_temperature(const MeterInfo& info);

}  // namespace prengdl
