// SPDX-License-Identifier: Apache-2.0
#include "report/figures.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"

namespace prengdl {
namespace {

/// A command line as the directories of its program, in the order of the path, and the rest, which
/// begins with the program's name.
struct Called {
  std::vector<std::string> directories;
  std::string rest;
};

Called called(const std::string& command) {
  const auto end = command.find(' ');
  const std::string program = command.substr(0, end);
  if (program.find_first_of("'\"\\=") != std::string::npos) return {{}, command};
  Called one;
  for (const auto part : split(program, '/')) one.directories.emplace_back(part);
  one.rest = one.directories.back() + (end == std::string::npos ? "" : command.substr(end));
  one.directories.pop_back();
  return one;
}

/// How many directories at the front all of them have in common.
std::size_t common_directories(const std::vector<const Called*>& group) {
  std::size_t common = group.front()->directories.size();
  for (const auto* one : group) {
    const auto& first = group.front()->directories;
    const auto end =
        std::mismatch(first.begin(), first.end(), one->directories.begin(), one->directories.end());
    common = std::min(common, static_cast<std::size_t>(end.first - first.begin()));
  }
  return common;
}

}  // namespace

std::string figure_text(double value, std::string_view unit) {
  return unit == "s" ? for_people(Seconds{value}) : with_prefix(value, unit);
}

std::string singular(const std::string& plural) {
  static constexpr std::array<std::string_view, 4> same{"series", "species", "news", "analysis"};
  const auto ends = [&](std::string_view end) {
    return plural.size() > end.size() + 1 && plural.ends_with(end);
  };
  const auto less = [&](std::size_t letters) { return plural.substr(0, plural.size() - letters); };
  if (std::find(same.begin(), same.end(), plural) != same.end()) return plural;
  if (!ends("s") || ends("ss") || ends("us") || ends("is")) return plural;
  if (plural == "caches" || plural == "movies") return less(1);
  if (ends("ies")) return less(3) + "y";
  for (const std::string_view end : {"ches", "shes", "sses", "xes", "zzes"})
    if (ends(end)) return less(2);
  return less(1);
}

std::vector<std::string> short_commands(const std::vector<std::string>& commands) {
  std::vector<Called> all;
  all.reserve(commands.size());
  for (const auto& command : commands) all.push_back(called(command));
  // Only where two would look the same do directories tell them apart.
  std::map<std::string, std::vector<const Called*>> by_rest;
  for (const auto& one : all) by_rest[one.rest].push_back(&one);
  std::vector<std::string> names;
  for (const auto& one : all) {
    const auto& group = by_rest[one.rest];
    std::string name;
    for (std::size_t i = group.size() > 1 ? common_directories(group) : one.directories.size();
         i < one.directories.size(); ++i)
      name += one.directories[i] + "/";
    names.push_back(name + one.rest);
  }
  return std::set<std::string>(names.begin(), names.end()).size() ==
                 std::set<std::string>(commands.begin(), commands.end()).size()
             ? names
             : commands;
}

}  // namespace prengdl
