// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <iostream>

#include "base/escaping.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "campaign/missing_programs.h"
#include "campaign/pilot.h"
#include "campaign/result_study.h"
#include "cli/caller.h"
#include "cli/commands.h"
#include "cli/run_options.h"
#include "machine/this_machine.h"
#include "meters/gpu_facts.h"
#include "model/registration.h"
#include "print/progress.h"
#include "print/study.h"
#include "store/result.h"
#include "study/only.h"
#include "study/plan.h"
#include "study/study_file.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

/// Options that go with --on slurm only.
void check_where(const RunOptions& options) {
  if (!options.on.empty() && options.on != "local" && options.on != "slurm")
    throw UsageError(fmt::format("--on {} is neither local nor slurm", options.on),
                     "Leave it out to run on this machine.");
  const bool is_for_slurm = !options.slurm.empty() || options.detach || options.cancel;
  if (is_for_slurm && options.on != "slurm" && options.task.empty())
    throw UsageError("--slurm, --detach and --cancel are for jobs on a cluster", "Add --on slurm.");
}

int list_what_would_run(const RunOptions& options, const Study& study, const Design& design,
                        const AskedCells& asked, const std::filesystem::path& result) {
  Stored stored;
  if (ResultStore::exists(result))
    stored = what_is_stored(ResultStore::open(result, Access::read_only).runs(Detail::figures));
  const PlanInput input = learn_if_there(result, study, design).value_or(PlanInput{});
  const auto due =
      due_runs(study, asked.runs_of(design), design.cells(), stored, due_settings(options));
  const Plan plan = make_plan(study, input);
  const Style style = style_of(STDOUT_FILENO);
  show(plan_text(plan, false, style) +
       due_text(plan, due, expected_time(study, input, due), style));
  return 0;
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  RunOptions options;
  Arguments arguments("run", "Runs a study, or continues it.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  check_where(options);
  if (!options.task.empty()) return run_task(options);
  if (options.on == "slurm") return run_on_slurm(options, words);
  const bool as_root = workload_as_root(options.as_root);

  Study study = study_to_run(options);
  const MeterSearch search = options.meters.search();
  const FoundMeters found = find_meters(search);
  refuse_incomplete(found);
  check_measures(study, options.study, domains_of(found));
  const std::string registered = registered_text(study.analysis);
  if (!measures_energy(found)) go_without_meter(study.analysis);
  const Design design(study);
  const std::filesystem::path result = result_of(study, options);
  AskedCells asked(study, design, cell_pattern(study, options.only));
  refuse_weak_design(study, options);
  if (options.dry_run) return list_what_would_run(options, study, design, asked, result);

  const MachineRecord machine = this_machine(search);
  const auto refused = refuse_cells(study, machine.facts, search, result, asked);
  const EnvironmentPlaces places = options.environments.places(search);
  const StudyEnvironments environments(
      study, asked.cells(), places,
      setup_call(options.study, options.preset, options.environments));
  StudyStart start{study, design, asked, refused, environments, machine};
  start.cells.environment = [&](const EnvironmentChoice& choice) -> const EnvironmentSite& {
    return environments.of(choice);
  };
  check_programs(study, asked.cells(), {start.cells.environment, result, places.data});
  const FileDescriptor signals = take_signals();
  start.text = study_text(options.study);
  start.registered = registered;
  start.call = shell_line(words);
  start.due = due_settings(options);
  start.makes_profiles = options.profile;
  start.cells.root = search.root;
  start.cells.result = result;
  start.cells.as_root = as_root;
  start.cells.signals = signals.get();
  start.cells.data = places.data;
  start.cells.gpu_processes = gpu_watch(search, found);
  StudyTeller teller(can_overwrite(STDERR_FILENO));
  if (!options.quiet)
    start.progress = [&](const StudyProgress& progress) { teller.tell(progress); };
  start.trouble = [](const Error& trouble) {
    std::cerr << "prengdl: " << printable(trouble.what()) << "\n";
  };
  SystemClock clock;
  const StudyOutcome outcome = start_study(start, found.meters, clock);
  teller.clear();
  return tell_ending(outcome, study, asked.cells(), words, result);
}

}  // namespace prengdl
