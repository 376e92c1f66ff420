// SPDX-License-Identifier: Apache-2.0
#include "campaign/result_study.h"

#include <fmt/core.h>

#include <set>

#include "base/clock.h"
#include "conclude/comparable_runs.h"
#include "model/measure.h"
#include "study/study_file.h"

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

ResultStudy read_result(const ResultStore& store, Detail detail) {
  ResultStudy result;
  result.record = store.study();
  result.study = load_study(store.directory() / "study.toml", result.record.preset);
  result.runs = store.runs(detail);
  check_measures(result.study, store.directory() / "study.toml", domains_of(store, result.runs));
  result.is_paired = result.record.blocks > 0;
  if (!has_measured(result.runs, result.study.analysis.primary)) {
    go_without_meter(result.study.analysis);
    result.is_without_meter = true;
  }
  return result;
}

void note_look(const ResultStore& store, const ResultStudy& found, const std::string& command) {
  MadeRuns made;
  for (const auto& run : found.runs) made.add(run);
  if (const auto look = made.look(current_plan(found.record, store.events()), command, utc_now()))
    store.note_look(*look);
}

}  // namespace prengdl
