// SPDX-License-Identifier: Apache-2.0
#include "model/run.h"

#include <fmt/core.h>

#include <map>

namespace prengdl {

std::vector<std::string> flag_lines(const std::vector<const Run*>& runs) {
  std::map<Flag, std::size_t> counts;
  for (const auto* run : runs)
    for (const Flag flag : run->flags) ++counts[flag];
  std::vector<std::string> lines;
  for (const auto& [flag, count] : counts) {
    std::string line = fmt::format("{}: {}", name_of(flag), words_of(flag));
    if (runs.size() > 1) line += fmt::format(" ({} of {} runs)", count, runs.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace prengdl
