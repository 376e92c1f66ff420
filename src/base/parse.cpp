// SPDX-License-Identifier: Apache-2.0
#include "base/parse.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/strings.h"

namespace prengdl {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  std::int64_t value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<double> number_with_unit(std::string_view text, std::span<const NamedUnit> units) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const auto name = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const auto& unit : units)
    if (unit.name == name && std::isfinite(number * unit.factor)) return number * unit.factor;
  return std::nullopt;
}

Result<Seconds> parse_duration(std::string_view text) {
  static constexpr std::array<NamedUnit, 9> units{{{"", 1},
                                                   {"s", 1},
                                                   {"ms", 1e-3},
                                                   {"us", 1e-6},
                                                   {"ns", 1e-9},
                                                   {"min", 60},
                                                   {"m", 60},
                                                   {"h", 3600},
                                                   {"d", 86400}}};
  // Thirty years: what is added to a clock in nanoseconds must not overflow it.
  constexpr double longest = 1e9;
  const auto value = number_with_unit(text, units);
  if (value && *value >= 0 && *value <= longest) return Seconds{*value};
  return failure(fmt::format("'{}' is not a duration", text),
                 "write a number with its unit: 250ms, 5s, 10min, 2h");
}

Result<double> parse_rate(std::string_view text) {
  static constexpr std::array<NamedUnit, 4> units{{{"", 1}, {"Hz", 1}, {"hz", 1}, {"kHz", 1000}}};
  const auto value = number_with_unit(text, units);
  if (value && *value > 0) return *value;
  return failure(fmt::format("'{}' is not a rate", text),
                 "write samples per second: 100, 100Hz or 1kHz");
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> numbers;
  for (const auto part : split(trimmed(text), ',')) {
    const auto dash = part.find('-');
    const auto first = parse_integer(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_integer(part.substr(dash + 1));
    if (!first || !last || *last > 65536) continue;
    for (auto n = *first; n <= *last; ++n) numbers.push_back(static_cast<int>(n));
  }
  return numbers;
}

}  // namespace prengdl
