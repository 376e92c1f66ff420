// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "base/parse.h"
#include "study/values.h"

namespace prengdl {

Result<Joules> parse_energy(std::string_view text) {
  static constexpr std::array<NamedUnit, 7> units{{{"J", 1},
                                                   {"kJ", 1e3},
                                                   {"MJ", 1e6},
                                                   {"GJ", 1e9},
                                                   {"Wh", 3600},
                                                   {"kWh", 3.6e6},
                                                   {"MWh", 3.6e9}}};
  const auto value = number_with_unit(text, units);
  if (value && *value > 0) return Joules{*value};
  return failure(fmt::format("'{}' is not an amount of energy", text),
                 "write a number with its unit: 500kJ, 3MJ, 2kWh");
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  static constexpr std::array<NamedUnit, 10> units{{{"", 1},
                                                    {"B", 1},
                                                    {"kB", 1e3},
                                                    {"MB", 1e6},
                                                    {"GB", 1e9},
                                                    {"TB", 1e12},
                                                    {"KiB", 1024},
                                                    {"MiB", 1048576},
                                                    {"GiB", 1073741824},
                                                    {"TiB", 1099511627776}}};
  const auto value = number_with_unit(text, units);
  if (value && *value >= 0 && *value < 9.2e18) return static_cast<std::uint64_t>(std::ceil(*value));
  return failure(fmt::format("'{}' is not an amount of bytes", text),
                 "write a number with its unit: 500MB, 8GiB");
}

Result<int> parse_megahertz(std::string_view text) {
  static constexpr std::array<NamedUnit, 3> units{{{"", 1}, {"MHz", 1}, {"GHz", 1000}}};
  const auto value = number_with_unit(text, units);
  if (value && *value >= 1 && *value < 1e6) return static_cast<int>(std::lround(*value));
  return failure(fmt::format("'{}' is not a clock rate", text), "write 1410MHz or 1.41GHz");
}

Result<double> parse_share(std::string_view text) {
  static constexpr std::array<NamedUnit, 2> units{{{"", 1}, {"%", 0.01}}};
  const auto value = number_with_unit(text, units);
  if (value && *value >= 0 && *value <= 1) return *value;
  return failure(fmt::format("'{}' is not a share from 0 to 1", text), "write 5% or 0.05");
}

}  // namespace prengdl
