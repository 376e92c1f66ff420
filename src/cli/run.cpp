// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <iostream>

#include "base/escaping.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "campaign/missing_programs.h"
#include "campaign/pilot.h"
#include "campaign/result_study.h"
#include "campaign/study_start.h"
#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/commands.h"
#include "cli/environment_options.h"
#include "cli/meter_options.h"
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

struct RunOptions {
  std::string study, output, preset;
  std::vector<std::string> only;
  std::size_t runs = 0, blocks = 0;
  bool dry_run = false, anyway = false, as_root = false, profile = false, retry_failed = false;
  bool quiet = false;
  EnvironmentOptions environments;
  MeterOptions meters;

  void declare(Arguments& arguments) {
    arguments.word("STUDY", study, "the study file");
    arguments.text("-o,--output", output, "the result directory (default: NAME.result)", "DIR");
    arguments.text("--preset", preset, "a preset of the study file", "NAME");
    arguments.count("--runs", runs, "runs of each cell (default: as in the study)");
    arguments.count("--blocks", blocks, "run at most this many blocks now");
    arguments.texts("--only", only, "run only the cells of this level now", "FACTOR=LEVEL");
    arguments.flag("--retry-failed", retry_failed, "also repeat runs whose last attempt failed");
    arguments.flag("--profile", profile,
                   "after the measured runs, one run of each cell under cProfile, not counted");
    arguments.flag("--dry-run", dry_run, "list what would run, and stop");
    arguments.flag("-q,--quiet", quiet, "no progress; print only how the study ended");
    arguments.flag(
        "--anyway", anyway,
        "also run a design that cannot show anything or has fewer than three runs per cell");
    arguments.flag("--as-root", as_root, "under sudo: run the workloads as root");
    environments.declare(arguments);
    meters.declare(arguments);
    arguments.footer(
        "A study that was stopped or killed continues where it was. Create its environments with\n"
        "prengdl setup STUDY.\n"
        "Exit: 0 done, 1 failed, or a cell was given up or has no good run, 2 wrong usage,\n"
        "130 interrupted.\n"
        "Examples:\n  prengdl run studies/quick.toml\n"
        "  prengdl run studies/quick.toml --retry-failed\n"
        "  sudo prengdl run icse22.toml --preset laptop -o results/laptop");
  }
};

Study study_to_run(const RunOptions& options) {
  Study study = load_study(options.study, options.preset, environments_to_name());
  if (!study.imported.empty())
    throw UsageError(
        fmt::format("{} describes runs that were imported ({}): there is nothing to run",
                    options.study, study.imported),
        "Look at them with `prengdl compare`, `audit`, `status` or `export`.");
  if (options.runs > 0) study.runs = options.runs;
  return study;
}

/// A design from which nothing can be learnt is a mistake, unless somebody says that it is none.
void refuse_weak_design(const Study& study, const RunOptions& options) {
  if (options.anyway || study.anyway) return;
  const Plan plan = make_plan(study);
  if (!plan.can_show)
    throw UsageError("this design cannot show anything: " + plan.why_not,
                     "Change the study (`prengdl plan` has details), or run it with --anyway.");
  if (plan.has_too_few_runs)
    throw UsageError("this design has too few runs: " + plan.notes.front(),
                     "Write runs = 3 or more, or run it with --anyway.");
}

DueSettings due_settings(const RunOptions& options) {
  DueSettings settings;
  if (options.blocks > 0) settings.most_blocks = options.blocks;
  settings.retry_failed = options.retry_failed;
  return settings;
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

/// Leaves out the cells that this machine cannot run, and says so.
std::vector<RefusedCell> refuse_cells(const Study& study, const Machine& machine,
                                      const MeterSearch& search,
                                      const std::filesystem::path& result, AskedCells& asked) {
  auto refused =
      check_requirements(study, asked.cells(), machine, gpu_memories(search), result.parent_path());
  for (const auto& one : refused) {
    std::cerr << wrapped(
        fmt::format("refused: {} {}\n", printable(name_of(study, one.cell)), one.why),
        style_of(STDERR_FILENO).width);
    asked.leave_out(one.cell);
  }
  return refused;
}

int tell_ending(const StudyOutcome& outcome, const Study& study, const std::vector<Cell>& cells,
                const std::vector<std::string>& words, const std::filesystem::path& result) {
  const StudyEnd& end = outcome.end;
  const RunTally tally = tally_of(outcome.stored, outcome.planned, cells);
  std::cerr << wrapped(ending_of(end, tally, study, words, result), style_of(STDERR_FILENO).width);
  if (end.why == StudyEnd::Why::interrupted) return 130;
  return end.given_up.empty() && tally.without_good_run.empty() && end.not_restored.empty() ? 0 : 1;
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  RunOptions options;
  Arguments arguments("run", "Runs a study, or continues it.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  const bool as_root = workload_as_root(options.as_root);

  Study study = study_to_run(options);
  const MeterSearch search = options.meters.search();
  const FoundMeters found = find_meters(search);
  refuse_incomplete(found);
  check_measures(study, options.study, domains_of(found));
  const std::string registered = registered_text(study.analysis);
  if (!measures_energy(found)) go_without_meter(study.analysis);
  const Design design(study);
  const std::filesystem::path result = std::filesystem::absolute(
      options.output.empty() ? default_result(study) : std::filesystem::path(options.output));
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
