// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace prengdl {

/// The whole text as a decimal integer or number; nothing when anything else is in it.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

/// A unit by its name, and what it is worth in the unit that is wanted.
struct NamedUnit {
  std::string_view name;
  double factor{};
};

/// The number in front times the unit behind it; nothing if either is wrong or too large.
/// A unit without a name allows a bare number.
std::optional<double> number_with_unit(std::string_view text, std::span<const NamedUnit> units);

/// "250ms", "5s", "1.5min", "2h"; a bare number is seconds. Up to 30 years.
Result<Seconds> parse_duration(std::string_view text);

/// "100Hz", "1kHz"; a bare number is hertz.
Result<double> parse_rate(std::string_view text);

/// A list of numbers as the kernel writes it: "0-3,8".
std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace prengdl
