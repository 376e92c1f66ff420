// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace prengdl {

/// A counter says how much there was so far and may wrap; a gauge says how much there is now.
enum class Kind { counter, gauge };

/// How far a figure is from a measurement; the worst part decides for a sum.
enum class Quality { wall, sensor, chip, virtual_machine, model };

/// What the values of a meter or channel are, in SI units.
enum class Unit { joule, watt, share, celsius, byte, hertz, second, bits };

/// How the energy of a meter enters the total called `metered` (the table in
/// docs/reference/meters.md).
enum class Counted {
  yes,            // package, dram, gpu: parts that do not overlap
  inside,         // part of another domain: cores in the package
  alone,          // the whole machine: stands in where no part is metered
  platform,       // psys: stands in where no package is metered
  duplicate,      // the same joules by another road
  not_allocated,  // a GPU that this process may not use
  channel,        // not energy at all
};

/// All that is known of a meter before it is read. Plain data: it travels with every result.
struct MeterInfo {
  std::string id;      // unique on the machine: "powercap/intel-rapl:0"
  std::string name;    // for people: "package-0", "NVIDIA A100 (GPU 1)"
  std::string domain;  // "package", "gpu", ...; for a channel its name: "gpu_utilisation"
  std::string source;  // the file or library that it is read from
  Kind kind = Kind::counter;
  Quality quality = Quality::chip;
  Unit unit = Unit::joule;
  Counted counted = Counted::yes;
  double step = 1;     // one raw unit in the unit above
  double quantum = 0;  // smallest change of the value, in the unit above; 0 if not known
  std::optional<std::uint64_t> range;  // the raw counter is taken modulo this
  Seconds update{};                    // the value changes about this often; 0 if not known
  Seconds window{};                    // an averaging gauge shows the mean over this long
  Seconds lag{};                       // and shows it this much late
  Seconds period{};        // reading more often than this gains nothing or costs too much
  bool may_block = false;  // a read can take milliseconds: sampled apart from the quick meters
  double model_low = 1;    // the figure may be off by these factors: of a model, the range of its
  double model_high = 1;   // coefficients; of an instrument, what its owner stated; else 1
  std::string note;        // what a reader of results should know
};

std::string_view name_of(Kind kind);
std::string_view name_of(Quality quality);
std::string_view name_of(Unit unit);  // "J", "W", "", "degC", "B", "Hz", "s", ""
std::string_view name_of(Counted counted);

inline bool is_energy(const MeterInfo& info) {
  return info.unit == Unit::joule || info.unit == Unit::watt;
}

}  // namespace prengdl
