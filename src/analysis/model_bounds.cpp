// SPDX-License-Identifier: Apache-2.0
#include "analysis/model_bounds.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "conclude/case_runs.h"
#include "conclude/paired_samples.h"
#include "conclude/work.h"
#include "model/counted_runs.h"

namespace prengdl {
namespace {

using Runs = std::vector<const StoredRun*>;

/// Every process uses some CPU time and memory, so none at all means that nobody looked: results of
/// other tools come without them.
bool knows_cpu_time(const Run& run) { return run.cpu.workload.count() > 0; }
bool knows_memory(const Run& run) { return run.max_rss_bytes > 0; }

double gigabyte_seconds(const Run& run) {
  return static_cast<double>(run.max_rss_bytes) / 1e9 * run.wall.count();
}

Runs of_machine(const Runs& runs, const std::string& machine) {
  Runs result;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(result),
               [&](const StoredRun* run) { return run->machine == machine; });
  return result;
}

bool all_know(const Runs& a, const Runs& b, bool (*knows)(const Run&)) {
  const auto is_known = [&](const StoredRun* run) { return knows(run->run); };
  return std::all_of(a.begin(), a.end(), is_known) && std::all_of(b.begin(), b.end(), is_known);
}

/// Nothing if a level has no run that counts.
std::optional<BoundedComparison> bounded(const Runs& a, const Runs& b, const AssumedModels& models,
                                         bool paired, const std::string& per) {
  BoundedComparison result;
  if (emitted_by_all(a, per) && emitted_by_all(b, per)) result.per = per;
  result.knows_cpu_time = all_know(a, b, knows_cpu_time);
  result.knows_memory = all_know(a, b, knows_memory);
  const auto samples = [&](double (*figure)(const Run&)) {
    return two_samples(a, b, paired, [&](const Run& run) -> std::optional<double> {
      const double work = result.per ? work_of(run, *result.per).value_or(1) : 1;
      return figure(run) / work;
    });
  };
  Usage first;
  Usage second;
  auto seconds = samples([](const Run& run) { return run.wall.count(); });
  if (seconds.a.empty() || seconds.b.empty()) return std::nullopt;
  first.seconds = std::move(seconds.a);
  second.seconds = std::move(seconds.b);
  if (result.knows_cpu_time) {
    auto cpu = samples([](const Run& run) { return run.cpu.workload.count(); });
    first.cpu_seconds = std::move(cpu.a);
    second.cpu_seconds = std::move(cpu.b);
  }
  if (result.knows_memory) {
    auto memory = samples(gigabyte_seconds);
    first.gigabyte_seconds = std::move(memory.a);
    second.gigabyte_seconds = std::move(memory.b);
  }
  result.n = {first.seconds.size(), second.seconds.size()};
  result.bounds = energy_bounds(first, second, models, paired);
  return result;
}

bool has_gpu(const StoredRun& run) {
  return std::any_of(run.meters.begin(), run.meters.end(), [](const MeterInfo& meter) {
    return meter.domain.starts_with("gpu") && meter.counted != Counted::not_allocated;
  });
}

}  // namespace

std::string model_assumption() {
  return fmt::format(
      "Assumed: energy = a x seconds + b x CPU seconds + c x GB-seconds of memory held. a, b and "
      "c lie anywhere in the ranges for the machine's processor. b may be up to {:g} times as "
      "large in one level as in the other (docs/explanation/modelled-energy.md).",
      most_uneven_mix);
}

bool lacks_a_meter(const std::vector<StoredRun>& runs) {
  return std::none_of(runs.begin(), runs.end(), [](const StoredRun& run) {
    return is_good(run) && run.run.energy.metered &&
           run.run.energy.metered->quality != Quality::model;
  });
}

ModelBounds model_bounds(const Study& study, const std::vector<StoredRun>& runs,
                         const std::map<std::string, PowerModel>& models, bool paired) {
  ModelBounds result;
  const auto& levels = compared_levels(study);
  std::set<std::string> machines;
  for (const auto& run : runs) machines.insert(run.machine);
  for (const auto& machine : machines) {
    const auto model = models.find(machine);
    if (model == models.end())
      result.notes.push_back(
          fmt::format("machine {} has no power model: its runs are left out", machine));
    else
      result.machines.emplace(machine, assumed_models(model->second));
  }
  for (const auto& one_case : runs_by_case(study, runs, paired)) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      for (std::size_t j = i + 1; j < levels.size(); ++j) {
        for (const auto& [machine, assumed] : result.machines) {
          auto one =
              bounded(of_machine(one_case.levels[i], machine),
                      of_machine(one_case.levels[j], machine), assumed, paired, study.analysis.per);
          if (!one) continue;
          one->cell = one_case.cell;
          one->pair = {levels[i], levels[j]};
          one->machine = machine;
          result.comparisons.push_back(std::move(*one));
        }
      }
    }
  }
  if (std::any_of(runs.begin(), runs.end(), has_gpu))
    result.notes.emplace_back(
        "the models know CPUs and memory only: what the GPUs drew is not in these ratios");
  if (study.analysis.window != "run")
    result.notes.push_back(fmt::format("of whole runs: CPU time is not known for the window \"{}\"",
                                       study.analysis.window));
  return result;
}

}  // namespace prengdl
