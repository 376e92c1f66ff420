// SPDX-License-Identifier: Apache-2.0
#include "model/flag.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace prengdl {
namespace {

struct FlagWords {
  Flag flag;
  std::string_view name;
  std::string_view words;
};

constexpr std::array<FlagWords, 14> table{
    {{Flag::short_run, "short", "the run is too short to know its energy to within 2 %"},
     {Flag::sampling_gaps, "sampling-gaps",
      "prengdl missed samples, so power peaks may be missing"},
     {Flag::disturbed, "disturbed", "other processes or the host used CPU time"},
     {Flag::throttled, "throttled", "the processor slowed down because of heat"},
     {Flag::profiled, "profiled", "the run was made under cProfile and is not counted"},
     {Flag::not_settled, "not-settled", "the run started before the machine was quiet"},
     {Flag::band_widened, "band-widened",
      "the limit for a quiet machine was raised so that the study could continue"},
     {Flag::mean_of_runs, "mean-of-runs", "the imported figure is a mean over several runs"},
     {Flag::stalled, "stalled",
      "prengdl was held up while the command exited; the uncertainty covers it"},
     {Flag::stuck_meter, "stuck-meter",
      "a counter stopped during the run, so its domain has no figure"},
     {Flag::left_behind, "left-behind", "processes outlived the command and were ended"},
     {Flag::timeout, "timeout", "the run reached its time limit and was ended"},
     {Flag::interrupted, "interrupted", "the run was interrupted"},
     {Flag::watched, "watched", "prengdl serve or status --watch showed the study meanwhile"}}};

const FlagWords& row_of(Flag flag) { return table.at(static_cast<std::size_t>(flag)); }

}  // namespace

const std::vector<Flag>& all_flags() {
  static const std::vector<Flag> all = [] {
    std::vector<Flag> flags;
    flags.reserve(table.size());
    for (const auto& row : table) flags.push_back(row.flag);
    return flags;
  }();
  return all;
}

std::string_view name_of(Flag flag) { return row_of(flag).name; }

std::optional<Flag> flag_of(std::string_view name) {
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const FlagWords& one) { return one.name == name; });
  return row == table.end() ? std::nullopt : std::optional(row->flag);
}

std::string_view words_of(Flag flag) { return row_of(flag).words; }

std::string names_of(const Flags& flags, std::string_view separator) {
  return joined(flags, separator, [](Flag flag) { return name_of(flag); });
}

}  // namespace prengdl
