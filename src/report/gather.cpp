// SPDX-License-Identifier: Apache-2.0
#include "report/gather.h"

#include <algorithm>
#include <future>

#include "base/clock.h"
#include "base/this_process.h"
#include "meters/embedded.h"
#include "meters/estimate.h"
#include "print/checks.h"
#include "study/workload.h"

namespace prengdl {
namespace {

std::map<std::string, PowerModel> power_models_of(const ResultStore& store) {
  std::map<std::string, PowerModel> models;
  for (const auto& machine : store.machines())
    if (const auto model = choose_power_model(machine.facts, embedded::power_models()))
      models[machine.fingerprint] = *model;
  return models;
}

/// Names of people and machines that may stand in any text, unless the study itself uses the word.
std::vector<std::string> private_names(const GatheredReport& into) {
  std::vector<std::string> names{host_name(), user_name()};
  for (const auto& machine : into.input.machines)
    if (machine.facts.system.hostname) names.push_back(*machine.facts.system.hostname);
  for (const auto& machine : into.input.machines) names.push_back(machine.fingerprint);
  for (const auto& one : into.input.exclusions) names.push_back(one.who);
  std::vector<std::string> used{"root", "user", "localhost"};
  for (const auto& factor : into.found.study.factors) {
    used.push_back(factor.name);
    used.insert(used.end(), factor.levels.begin(), factor.levels.end());
  }
  std::erase_if(names, [&](const std::string& name) {
    return name.size() < 3 || std::find(used.begin(), used.end(), name) != used.end();
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Analysis analyse_result(const ResultStore& store, const ResultStudy& found,
                        const AnalysisOptions& options) {
  AnalysisInput input{found.study, found.runs};
  input.is_paired = found.is_paired;
  input.planned_blocks = found.record.blocks;
  input.power_models = power_models_of(store);
  input.machines = store.machines();
  input.aa = store.aa();
  input.registration = store.registration();
  input.is_without_meter = found.is_without_meter;
  input.looks = store.looks();
  input.samples = [&](const std::string& run, const TakeReading& take) {
    store.samples(run, take);
  };
  return analyse(input, options);
}

AuditInput audit_input(const ResultStore& store, const ResultStudy& found) {
  AuditInput input;
  input.study = found.study;
  input.is_paired = found.is_paired;
  input.machines = store.machines();
  input.events = store.events();
  input.locks = found.record.locks;
  input.environment_of = [study = found.study](const Cell& cell) {
    return label_of(environment_for(study, cell));
  };
  return input;
}

void gather(const ResultStore& store, const ReportOptions& options, GatheredReport& into) {
  auto& input = into.input;
  auto& found = into.found;
  // Half of the work of a small study with profiles; it meets the rest before the audit.
  auto profiles = std::async(std::launch::async | std::launch::deferred, profiles_in,
                             store.directory(), found.study);
  if (!options.published.empty()) input.published = read_published(options.published, found.study);
  constexpr std::size_t most_runs_for_robustness = 2000;  // a dozen analyses of more take minutes
  AnalysisOptions wanted = options.analysis;
  wanted.with_robustness = found.runs.size() <= most_runs_for_robustness;
  static_cast<Analysis&>(input) = analyse_result(store, found, wanted);
  if (input.findings.value)
    for (const auto& record : input.aa)
      input.findings.value->notes.push_back(aa_line(record, found.study.analysis.primary));
  input.study = found.study;
  input.record = found.record;
  input.runs = &found.runs;
  input.is_paired = found.is_paired;
  input.stated_window = options.stated_window;
  input.is_anonymous = options.anonymous;
  if (options.least_share) input.least_share = *options.least_share;
  input.machines = store.machines();
  input.events = store.events();
  for (const auto& one : store.exclusions())
    input.exclusions.push_back({one.run, one.reason, one.who, one.at, one.excluded});
  input.result_name = std::filesystem::weakly_canonical(store.directory()).filename();
  input.version = options.version;
  input.made_at = utc_now();
  input.profiles = profiles.get();
  for (auto& profile : input.profiles)
    if (const auto joules = measured_joules(found, profile.cell)) profile.joules = joules->value;
  audit_and_trace(store, into);
  into.private_names = private_names(into);
}

}  // namespace prengdl
