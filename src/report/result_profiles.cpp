// SPDX-License-Identifier: Apache-2.0
#include "report/result_profiles.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/strings.h"
#include "model/counted_runs.h"
#include "profile/call_profile.h"
#include "stats/summary.h"
#include "store/profiles.h"

namespace prengdl {
namespace {

bool is_profiled(const StoredRun& run) { return run.run.flags.contains(Flag::profiled); }

/// Seconds of the run under the profiler against the median of the cell's own runs.
std::optional<double> slow_down_of(const ResultStudy& result, const Cell& cell) {
  std::vector<double> seconds;
  std::optional<double> profiled;
  const CountedRuns which(result.runs, result.is_paired);
  for (const auto& run : result.runs) {
    if (run.cell != cell) continue;
    if (which.counts(run)) seconds.push_back(run.run.wall.count());
    if (is_profiled(run) && run.outcome == Outcome::ok && !run.excluded)
      profiled = run.run.wall.count();
  }
  if (!profiled || seconds.empty()) return std::nullopt;
  return *profiled / median(seconds);
}

/// "%2F" and similar, as levels are written in names of files.
std::string level_of(const std::string& name) {
  std::string level;
  for (std::size_t i = 0; i < name.size(); ++i) {
    unsigned code = 0;
    const char* digits = name.data() + i + 1;
    if (name[i] == '%' && i + 2 < name.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      level += static_cast<char>(code);
      i += 2;
    } else {
      level += name[i];
    }
  }
  return level;
}

/// The profile in a file; throws an Error that names it.
CallProfile profile_in(const std::filesystem::path& file) {
  auto profile = read_profile(file);
  if (!profile) throw Error(profile.error());
  return std::move(*profile);
}

}  // namespace

std::optional<Joules> measured_joules(const ResultStudy& result, const Cell& cell) {
  Joules sum{};
  double count = 0;
  for (const auto* run : counted_runs(result.runs, result.is_paired)) {
    if (run->cell != cell) continue;
    const auto& metered = run->run.energy.metered;
    if (!metered || metered->quality == Quality::model) return std::nullopt;
    sum += metered->value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return Joules{sum.value / count};
}

std::vector<CellProfileCost> profiles_in(const std::filesystem::path& result, const Study& study) {
  const auto directory = result / "profiles";
  std::vector<CellProfileCost> profiles;
  std::error_code none;
  std::vector<std::filesystem::path> files;
  for (auto at = std::filesystem::recursive_directory_iterator(directory, none);
       at != std::filesystem::recursive_directory_iterator(); at.increment(none))
    if (at->path().extension() == ".prof" && at->is_regular_file(none)) files.push_back(at->path());
  if (files.empty()) return profiles;
  const ApiTable table = ApiTable::shipped();
  std::map<std::filesystem::path, Cell> known;
  for (const auto& cell : cells_of(study)) known[profile_of(result, cell)] = cell;
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    CellProfileCost one;
    auto name = file.lexically_relative(directory);
    name.replace_extension();
    one.label = joined(name, " ", level_of);
    if (const auto cell = known.find(file); cell != known.end()) one.cell = cell->second;
    one.cost = cost_of(one.label, profile_in(file), table);
    profiles.push_back(std::move(one));
  }
  return profiles;
}

CellProfile calls_of(const Cell& cell, const CallProfile& profile) {
  CellProfile calls;
  calls.cell = cell;
  for (const auto& function : profile.functions)
    if (function.is_listed)
      calls.functions.push_back({std::string(function.file), std::string(function.name),
                                 static_cast<double>(function.calls)});
  return calls;
}

std::vector<CellProfile> profiled_calls(const std::filesystem::path& result, const Study& study) {
  std::vector<CellProfile> profiles;
  std::error_code none;
  for (const auto& cell : cells_of(study))
    if (const auto file = profile_of(result, cell); std::filesystem::exists(file, none))
      profiles.push_back(calls_of(cell, profile_in(file)));
  return profiles;
}

std::vector<ProfileCost> profiles_of(const ResultStore& store, const ResultStudy& result,
                                     const CellPattern& where, const ApiTable& table) {
  std::vector<ProfileCost> costs;
  for (const auto& cell : cells_of(result.study)) {
    const auto path = profile_of(store.directory(), cell);
    std::error_code none;
    if (!fits(result.study, where, cell) || !std::filesystem::exists(path, none)) continue;
    ProfileCost& cost =
        costs.emplace_back(cost_of(name_of(result.study, cell), profile_in(path), table));
    cost.slow_down = slow_down_of(result, cell);
    const auto joules = measured_joules(result, cell);
    if (!joules) continue;
    for (auto& function : cost.functions)
      if (function.share) function.joules = Joules{joules->value * *function.share};
  }
  return costs;
}

}  // namespace prengdl
