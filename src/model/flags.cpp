// SPDX-License-Identifier: Apache-2.0
#include "model/flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

namespace prengdl {
namespace {

struct FlagWords {
  std::string_view flag;
  std::string_view words;
};

constexpr std::array<FlagWords, 14> all_flags{
    {{"short", "the run is too short to know its energy to within 2 %"},
     {"sampling-gaps", "prengdl missed samples, so peaks of power may be missing"},
     {"disturbed", "other processes or the host used CPU time"},
     {"throttled", "the processor slowed down because of heat"},
     {"profiled", "the run was made under cProfile and is not counted"},
     {"not-settled", "the run started before the machine was quiet"},
     {"band-widened", "the limit for a quiet machine was raised to let the study go on"},
     {"mean-of-runs", "the imported figure is a mean over several runs"},
     {"stalled", "prengdl was held up while the command exited; the uncertainty covers it"},
     {"stuck-meter", "a counter stopped during the run, so its domain has no figure"},
     {"left-behind", "processes outlived the command and were ended"},
     {"timeout", "the run reached its time limit and was ended"},
     {"interrupted", "the run was interrupted"},
     {"watched", "prengdl serve showed the study during the run"}}};

}  // namespace

std::string_view flag_words(std::string_view flag) {
  const auto known = std::find_if(all_flags.begin(), all_flags.end(),
                                  [&](const FlagWords& one) { return one.flag == flag; });
  return known == all_flags.end() ? std::string_view{} : known->words;
}

std::vector<std::string_view> known_flags() {
  std::vector<std::string_view> flags;
  flags.reserve(all_flags.size());
  for (const auto& one : all_flags) flags.push_back(one.flag);
  return flags;
}

std::vector<std::string> flag_lines(const std::vector<const Run*>& runs) {
  std::map<std::string, std::size_t> counts;
  for (const auto* run : runs)
    for (const auto& flag : run->flags) ++counts[flag];
  std::vector<std::string> lines;
  for (const auto& [flag, count] : counts) {
    const auto words = flag_words(flag);
    std::string line = flag;
    if (!words.empty()) line += fmt::format(": {}", words);
    if (runs.size() > 1) line += fmt::format(" ({} of {} runs)", count, runs.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace prengdl
