// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace prengdl {

/// How a GPU's architecture samples power: a row of data/nvml_sampling.csv, where each figure has
/// its source.
struct NvmlSampling {
  std::string architecture;            // "Ampere GA100"; "other" when not in the table
  std::optional<bool> energy_counter;  // nothing: not known
  Seconds energy_update{};
  Seconds power_update{};
  Seconds usage_window{};    // of nvmlDeviceGetPowerUsage
  Seconds instant_window{};  // of the field for instant power
  Seconds lag{};
  std::optional<double> sampled_share;  // the part of the time in which the sensor looks
};

/// The row for a compute capability; cells that are empty come from the last row. Throws an Error
/// that names the line when the table is broken.
NvmlSampling nvml_sampling(std::string_view table, int major, int minor);

}  // namespace prengdl
