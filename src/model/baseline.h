// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "base/units.h"

namespace prengdl {

/// The power of an idle machine, per meter, as measured before the runs.
struct Baseline {
  struct MeterPower {
    Watts mean{};
    Watts uncertainty{};
  };
  std::vector<std::optional<MeterPower>> meters;  // in the order of the meters
  std::vector<std::optional<double>> celsius;     // of those that are thermometers
  Seconds duration{};
};

}  // namespace prengdl
