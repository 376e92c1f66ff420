// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace prengdl {

/// A line that an external meter printed: joules so far, or watts now.
struct MeterLine {
  bool is_energy = false;
  double value = 0;  // J or W
};

/// "123.4 W", "5.6 kWh", "789J"; nothing for anything else.
std::optional<MeterLine> parse_meter_line(std::string_view line);

}  // namespace prengdl
