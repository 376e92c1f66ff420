// SPDX-License-Identifier: Apache-2.0
#include "base/amounts.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace prengdl {
namespace {

struct Prefix {
  std::string_view name;
  double factor;
};

}  // namespace

std::string with_prefix(double value, std::string_view unit) {
  static constexpr std::array<Prefix, 7> prefixes{
      {{"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}}};
  const double size = std::abs(value);
  if (size == 0 || !std::isfinite(size)) return fmt::format("{} {}", value, unit);
  // The smallest prefix is for whatever is smaller still; 999.96 rounds up to the next prefix.
  auto prefix = prefixes.back();
  for (const auto& candidate : prefixes) {
    if (size >= candidate.factor * 0.99995) {
      prefix = candidate;
      break;
    }
  }
  const double scaled = value / prefix.factor;
  const double magnitude = std::abs(scaled);
  const int decimals = magnitude >= 99.995 ? 1 : magnitude >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, prefix.name, unit);
}

std::string for_people(Seconds duration) {
  const double s = duration.count();
  if (s < 0) return "-" + for_people(Seconds{-s});
  if (s < 60) return with_prefix(s, "s");
  const auto whole = static_cast<std::int64_t>(std::llround(s));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

std::string counted(std::size_t count, const std::string& one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace prengdl
