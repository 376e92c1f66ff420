// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <iostream>

#include "base/files.h"
#include "base/process.h"
#include "base/strings.h"
#include "campaign/missing_programs.h"
#include "campaign/result_study.h"
#include "cli/caller.h"
#include "cli/run_options.h"
#include "cluster/node_task.h"
#include "cluster/staging.h"
#include "machine/this_machine.h"
#include "meters/gpu_facts.h"
#include "print/progress.h"
#include "study/only.h"
#include "study/study_file.h"

namespace prengdl {
namespace {

constexpr std::string_view node_mark = "{node}";

/// The study as the result has it, with the directory that its paths start from.
Study study_of_task(const NodeTask& task, const RunOptions& options) {
  const auto file = task.result() / "study.toml";
  const auto text = read_bytes(file);
  if (!text) throw Error(text.error());
  Study study = read_study(
      *text, std::filesystem::path(task.array().study_directory) / "study.toml", options.preset);
  if (options.runs > 0) study.runs = options.runs;
  set_slurm(options.slurm, study.slurm);
  return study;
}

TaskEnd make_task(NodeTask& task, RunOptions options) {
  const bool as_root = workload_as_root(options.as_root);
  // Every node may have a tree of its own.
  if (const auto mark = options.meters.root.find(node_mark); mark != std::string::npos)
    options.meters.root.replace(mark, node_mark.size(), task.node());
  Study study = study_of_task(task, options);
  const MeterSearch search = options.meters.search();
  const FoundMeters found = find_meters(search);
  refuse_incomplete(found);
  check_measures(study, task.result() / "study.toml", domains_of(found));
  if (!measures_energy(found)) go_without_meter(study.analysis);
  const Design design(study);
  AskedCells asked(study, design, cell_pattern(study, options.only));
  const MachineRecord machine = this_machine(search, task.node());
  task.report(machine);
  const auto refused = refuse_cells(study, machine.facts, search, task.result(), asked);
  const EnvironmentPlaces shared = options.environments.places(search);
  const EnvironmentPlaces places =
      staged(study.slurm, sites_of(study, asked.cells(), shared), shared, search.variables);
  const StudyEnvironments environments(
      study, asked.cells(), places,
      setup_call(options.study, options.preset, options.environments));
  const FileDescriptor signals = take_signals();
  LocalSettings local;
  local.machine = machine.fingerprint;
  local.controls_machine = true;
  local.cells.environment = [&](const EnvironmentChoice& choice) -> const EnvironmentSite& {
    return environments.of(choice);
  };
  check_programs(study, asked.cells(), {local.cells.environment, task.result(), places.data});
  local.cells.root = search.root;
  local.cells.result = task.result();
  local.cells.scratch = task.scratch();
  local.cells.as_root = as_root;
  local.cells.signals = signals.get();
  local.cells.data = places.data;
  local.cells.gpu_processes = gpu_watch(search, found);
  StudyTeller teller(false);
  return task.make({study, design, refused, local, found.meters,
                    [&](const StudyProgress& progress) { teller.tell(progress); }});
}

}  // namespace

int run_task(const RunOptions& options) {
  SystemClock clock;
  NodeTask task(options.task, process_variables(), clock);
  TaskEnd end;
  if (const auto claimed = task.claim()) {
    std::cerr << "prengdl: " << *claimed << "\n";
    return 0;
  }
  try {
    const auto unmade = task.begin();
    end = unmade ? *unmade : make_task(task, options);
  } catch (const Error& error) {
    std::string why = error.what();
    if (!error.hint.empty()) why += " (" + error.hint + ")";
    task.end({TaskEnd::Why::failed, why, {}, {}});
    throw;
  }
  task.end(end);
  std::cerr << "prengdl: " << (end.detail.empty() ? "all runs of this job are done" : end.detail)
            << "\n";
  return end.why == TaskEnd::Why::failed ? 1 : 0;
}

}  // namespace prengdl
