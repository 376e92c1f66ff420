// SPDX-License-Identifier: Apache-2.0
#include "cli/result_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/measure.h"
#include "model/window.h"
#include "report/figures.h"
#include "report/report_cells.h"
#include "run/study_file.h"

namespace prengdl {

std::vector<std::string> domains_of(const FoundMeters& found) {
  std::vector<std::string> domains;
  for (const auto& meter : found.meters)
    if (is_energy(meter->info())) domains.push_back(meter->info().domain);
  return domains;
}

std::vector<std::string> domains_of(const ResultStore& store, const std::vector<StoredRun>& runs) {
  const auto of_meters = store.domains();
  std::set<std::string> domains(of_meters.begin(), of_meters.end());
  for (const auto& run : runs)
    for (const auto& [domain, energy] : run.run.energy.domains) domains.insert(domain);
  return {domains.begin(), domains.end()};
}

void check_measures(const Study& study, const std::filesystem::path& file,
                    const std::vector<std::string>& domains) {
  std::vector<std::string> named{study.analysis.primary};
  if (!study.analysis.without_meter.empty()) named.push_back(study.analysis.without_meter);
  named.insert(named.end(), study.analysis.secondary.begin(), study.analysis.secondary.end());
  for (const auto& name : named)
    if (!is_known_measure(name, domains))
      throw UsageError(
          fmt::format("{}: there is no measure '{}'", file.string(), name),
          measure_advice(name, domains) + " A domain of your own needs its --meter or --rail.");
}

bool has_measured(const std::vector<StoredRun>& runs, const std::string& measure) {
  return std::any_of(runs.begin(), runs.end(), [&](const StoredRun& run) {
    const auto quality = quality_in(run.run, measure);
    return quality && *quality != Quality::model;
  });
}

std::optional<std::string> take_window(const std::string& window,
                                       const std::vector<StoredRun>& runs, Study& study) {
  if (window.empty() || window == study.analysis.window) return std::nullopt;
  const auto parsed = parse_window(window);
  if (!parsed) throw UsageError(parsed.error().what(), parsed.error().hint);
  std::set<std::string> told;
  bool is_there = parsed->spans.empty();
  for (const auto& run : runs)
    for (const auto& one : run.run.spans) {
      told.insert(one.span.span);
      is_there = is_there || is_in(*parsed, one.span);
    }
  if (!is_there)
    throw UsageError("--window " + window + ": no run tells such a span",
                     told.empty() ? "the runs tell no spans: compare whole runs"
                                  : "they tell " + listed({told.begin(), told.end()}));
  return std::exchange(study.analysis.window, window);
}

void rename_levels(ResultStudy& found, const std::map<std::string, std::string>& names) {
  if (names.empty()) return;
  const auto change = [&](std::string& level) {
    if (const auto known = names.find(level); known != names.end()) level = known->second;
  };
  for (auto& factor : found.study.factors)
    for (auto& level : factor.levels) change(level);
  for (auto& pattern : found.study.exclusions)
    for (auto& [factor, level] : pattern) change(level);
  for (auto& [group, levels] : found.study.analysis.groups)
    for (auto& level : levels) change(level);
  for (auto& run : found.runs)
    for (auto& level : run.cell) change(level);
}

void shorten_commands(ResultStudy& found) {
  const auto index = factor_index(found.study, "command");
  if (!index) return;
  const auto levels = found.study.factors[*index].levels;
  // A name that the user gave may have a slash in it, but hardly begins with one.
  if (std::none_of(levels.begin(), levels.end(),
                   [](const std::string& level) { return level.starts_with('/'); }))
    return;
  const auto shorter = short_commands(levels);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < levels.size(); ++i) names[levels[i]] = shorter[i];
  rename_levels(found, names);
}

ResultStudy read_result(const ResultStore& store) {
  ResultStudy result;
  result.record = store.study();
  result.study = load_study(store.directory() / "study.toml", result.record.preset);
  result.runs = store.runs(Detail::told);
  check_measures(result.study, store.directory() / "study.toml", domains_of(store, result.runs));
  result.is_paired = result.record.blocks > 0;
  if (!has_measured(result.runs, result.study.analysis.primary))
    go_without_meter(result.study.analysis);
  return result;
}

ResultStudy read_result(const std::filesystem::path& directory) {
  return read_result(ResultStore::open(directory, Access::read_only));
}

}  // namespace prengdl
