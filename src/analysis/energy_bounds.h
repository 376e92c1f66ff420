// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/power_model.h"

namespace prengdl {

// What can be said of the ratio of two energies without a meter: energy = a x seconds + b x CPU
// seconds + c x GB-seconds of memory held, with a, b and c anywhere in their ranges and b not quite
// the same for both (reasons and limits: docs/explanation/modelled-energy.md).

/// A second of CPU time of one program may take so many times the energy of another one's: they mix
/// instructions differently and run at other clocks. prengdl's own assumption, as the ranges are.
constexpr double most_uneven_mix = 1.5;

/// The models that are assumed to include the machine's own: three coefficients, each anywhere in
/// its range.
struct AssumedModels {
  Coefficient standing;          // a, W: the idle machine
  Coefficient per_busy_cpu;      // b, W: what a busy CPU adds, of each program its own
  Coefficient per_gigabyte;      // c, W: what a GB of memory adds that is held
  double mix = most_uneven_mix;  // b of one over b of the other, at most
  int cpus = 1;
  double memory_gigabytes = 0;  // installed
  std::string row;
  std::string source;
};

/// The ranges of a = cpus x idle + installed memory, b = full - idle and c = memory, from those of
/// the table's figures.
AssumedModels assumed_models(const PowerModel& model);

/// What each run of a level used. The lists are as long as `seconds`, or empty: not recorded.
struct Usage {
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  std::vector<double> gigabyte_seconds;
};

/// What the sign of the difference depends on.
enum class Decider {
  standing,
  per_busy_cpu,
  per_gigabyte,
  mix,                 // whether a second of CPU time costs the same in both
  unrecorded_cpu_time  // how busy they kept the CPUs
};
std::string_view name_of(Decider decider);

/// The words are those of reports; programs rely on them.
enum class BoundsVerdict {
  less,        // "less under the assumed models": under all of them
  needs_runs,  // all models agree, but the runs scatter too much
  needs_meter  // it depends on the coefficients
};
std::string_view name_of(BoundsVerdict verdict);

struct EnergyBounds {
  std::array<double, 2> ratio{1, 1};  // smallest and largest of first over second, at the means
  double middle = 1;                  // with the table's own figures
  /// a, b of the first, b of the second and c at which they are reached.
  std::array<std::array<double, 4>, 2> extremes{};
  /// The same with 95 % confidence for the scatter of the runs; nothing with a single run.
  std::optional<std::array<double, 2>> ci95;
  double time_ratio = 1;
  std::optional<double> cpu_ratio;  // the energy ratio is a weighted mean of these three
  std::optional<double> memory_ratio;
  BoundsVerdict verdict = BoundsVerdict::needs_meter;
  std::optional<std::size_t> less;  // which of the two costs less: 0 or 1
  std::optional<Decider> decider;   // where a meter is needed
  /// With the other coefficients as the table has them the two cost the same at this value of the
  /// deciding one; nothing if that is outside of its range.
  std::optional<double> break_even;
};

/// `paired`: the i-th runs of both belong together. Throws an Error on an empty level.
EnergyBounds energy_bounds(const Usage& first, const Usage& second, const AssumedModels& models,
                           bool paired);

}  // namespace prengdl
