// SPDX-License-Identifier: Apache-2.0
#include "report/profile_parts.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/api_names.h"

namespace prengdl {
namespace {

void sort(std::vector<CallLine>& lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const CallLine& a, const CallLine& b) {
    const auto x = a.edge.cumulative.value_or(Seconds{});
    const auto y = b.edge.cumulative.value_or(Seconds{});
    return x != y ? x > y : a.edge.calls > b.edge.calls;
  });
}

}  // namespace

std::vector<CallLine> callers_of(const ProfileCost& cost, std::uint32_t place) {
  std::vector<CallLine> lines;
  for (const auto& edge : cost.profile.edges)
    if (edge.callee == place) lines.push_back({edge.caller, edge});
  sort(lines);
  return lines;
}

std::vector<CallLine> callees_of(const ProfileCost& cost, std::uint32_t place) {
  std::vector<CallLine> lines;
  for (const auto& edge : cost.profile.edges)
    if (edge.caller == place) lines.push_back({edge.callee, edge});
  sort(lines);
  return lines;
}

std::vector<std::string> names_by_place(const ProfileCost& cost) {
  std::vector<std::string> names(cost.profile.functions.size());
  for (const auto& one : cost.functions) names[one.place] = name_of(cost, one);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& function = cost.profile.functions[i];
    if (!function.is_listed) names[i] = library_name(function).value_or(own_name(function));
  }
  return names;
}

std::string location_of(const ProfiledFunction& function) {
  if (function.file == "~") return "";
  return fmt::format("{}:{}", function.file, function.line);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace prengdl
