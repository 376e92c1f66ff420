// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/cell_pattern.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/live_state.h"
#include "cli/pilot.h"
#include "cli/result_study.h"
#include "cli/run_ending.h"
#include "cli/signals.h"
#include "cli/study_environments.h"
#include "cli/study_progress.h"
#include "cli/study_result.h"
#include "report/plan_report.h"
#include "report/terminal.h"
#include "run/missing_programs.h"
#include "run/plan.h"
#include "run/requirements.h"
#include "run/study_file.h"
#include "store/profiles.h"

namespace prengdl {
namespace {

struct RunOptions {
  std::string study, output, preset;
  std::vector<std::string> only;
  std::size_t runs = 0, blocks = 0;
  bool dry_run = false, anyway = false, as_root = false, profile = false, retry_failed = false;
  EnvironmentOptions environments;
  MeterOptions meters;

  void declare(Arguments& arguments) {
    arguments.word("STUDY", study, "the study file");
    arguments.text("-o,--output", output, "the result directory (default: NAME.result)", "DIR");
    arguments.text("--preset", preset, "a preset of the study file", "NAME");
    arguments.count("--runs", runs, "runs of each cell, instead of what the study says");
    arguments.count("--blocks", blocks, "make at most so many blocks now");
    arguments.texts("--only", only, "make only the runs of this level now", "FACTOR=LEVEL");
    arguments.flag("--retry-failed", retry_failed,
                   "also make the runs again whose last attempt failed");
    arguments.flag("--profile", profile,
                   "after the measured runs, one run of each cell under cProfile, not counted");
    arguments.flag("--dry-run", dry_run, "list what would run, and end");
    arguments.flag("--anyway", anyway,
                   "also run a design that can show nothing or has fewer than three runs per cell");
    arguments.flag("--as-root", as_root, "under sudo: run the workloads as root");
    environments.declare(arguments);
    meters.declare(arguments);
    arguments.footer(
        "A study that was stopped or killed goes on where it was. Its environments are made by\n"
        "prengdl setup STUDY.\n"
        "Exit: 0 done, 1 failed, or a cell was given up or has no good run, 2 wrong usage,\n"
        "130 interrupted.\n"
        "Examples:\n  prengdl run studies/quick.toml\n"
        "  prengdl run studies/quick.toml --retry-failed\n"
        "  sudo prengdl run icse22.toml --preset laptop -o results/laptop");
  }
};

/// The cells that a start is asked for.
struct AskedCells {
  std::vector<bool> wanted;  // by the design's cells
  std::vector<Cell> cells;

  AskedCells(const Study& study, const Design& design, const std::vector<std::string>& only) {
    const CellPattern pattern = cell_pattern(study, only);
    for (const auto& cell : design.cells()) {
      wanted.push_back(fits(study, pattern, cell));
      if (wanted.back()) cells.push_back(cell);
    }
  }

  void leave_out(const Design& design, const Cell& cell) {
    const auto& all = design.cells();
    wanted[static_cast<std::size_t>(std::find(all.begin(), all.end(), cell) - all.begin())] = false;
    std::erase(cells, cell);
  }

  std::vector<PlannedRun> runs_of(const Design& design) const {
    std::vector<PlannedRun> runs;
    for (const auto& one : design.all_runs())
      if (wanted[one.cell]) runs.push_back(one);
    return runs;
  }
};

Study study_to_run(const RunOptions& options) {
  Study study = load_study(options.study, options.preset, environments_to_name());
  if (!study.imported.empty())
    throw UsageError(
        fmt::format("{} describes runs that were imported ({}): there is nothing to run",
                    options.study, study.imported),
        "look at them with prengdl compare, audit, status and export");
  if (options.runs > 0) study.runs = options.runs;
  return study;
}

/// A design from which nothing can be learnt is a mistake, unless somebody says that it is none.
void refuse_weak_design(const Study& study, const RunOptions& options) {
  if (options.anyway || study.anyway) return;
  const Plan plan = make_plan(study);
  if (!plan.can_show)
    throw UsageError("this design can show nothing: " + plan.why_not,
                     "change the study (prengdl plan tells more), or run it --anyway");
  if (plan.has_too_few_runs)
    throw UsageError("this design has too few runs: " + plan.notes.front(),
                     "Write runs = 3 or more, or run it with --anyway.");
}

/// What of the plan is stored and asked for.
void choose_runs(const RunOptions& options, const Stored& stored, StudySettings& settings) {
  if (options.blocks > 0) settings.most_blocks = options.blocks;
  settings.retry_failed = options.retry_failed;
  settings.places = stored.places;
  settings.energy_before = stored.energy;
  settings.quality_before = stored.quality;
  settings.time_before = stored.time;
  settings.failures_before = stored.failures;
}

int list_what_would_run(const RunOptions& options, const Study& study, const Design& design,
                        const AskedCells& asked, const std::filesystem::path& result) {
  StudySettings settings;
  Stored stored;
  if (ResultStore::exists(result))
    stored = what_is_stored(ResultStore::open(result, Access::read_only).runs(Detail::figures));
  choose_runs(options, stored, settings);
  const PlanInput input = learn_if_there(result, study, design).value_or(PlanInput{});
  const auto due = due_runs(study, asked.runs_of(design), design.cells(), settings);
  const Plan plan = make_plan(study, input);
  const Style style = style_of(STDOUT_FILENO);
  show(plan_text(plan, false, style) +
       due_text(plan, due, expected_time(study, input, due), style));
  return 0;
}

/// What was written must still be there: somebody may have removed some of it meanwhile.
std::vector<StoredRun> stored_runs(const ResultStore& store, const StoreKeeper& keeper) {
  auto runs = store.runs(Detail::figures);
  std::set<std::string> ids;
  for (const auto& run : runs) ids.insert(run.id);
  const auto lost = std::count_if(keeper.kept().begin(), keeper.kept().end(),
                                  [&](const std::string& id) { return !ids.contains(id); });
  if (lost > 0)
    throw Error(fmt::format("{} of the {} runs that this start made are no longer in {}: they were "
                            "removed while the study ran",
                            lost, keeper.kept().size(), store.directory().string()),
                "Start the same command again to make them once more.");
  return runs;
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  RunOptions options;
  Arguments arguments("run", "Runs a study, or goes on with it.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  const bool as_root = workload_as_root(options.as_root);

  Study study = study_to_run(options);
  const MeterSearch search = options.meters.search();
  const FoundMeters found = find_meters(search);
  refuse_incomplete(found);
  check_measures(study, options.study, domains_of(found));
  if (!measures_energy(found)) go_without_meter(study.analysis);
  const Design design(study);
  const std::filesystem::path result = std::filesystem::absolute(
      options.output.empty() ? default_result(study) : std::filesystem::path(options.output));
  AskedCells asked(study, design, options.only);
  refuse_weak_design(study, options);
  if (options.dry_run) return list_what_would_run(options, study, design, asked, result);

  const MachineRecord machine = this_machine(search);
  const auto refused = check_requirements(study, asked.cells, machine.facts, gpu_memories(search),
                                          result.parent_path());
  for (const auto& one : refused) {
    std::cerr << wrapped(
        fmt::format("refused: {} {}\n", printable(name_of(study, one.cell)), one.why),
        style_of(STDERR_FILENO).width);
    asked.leave_out(design, one.cell);
  }
  const EnvironmentPlaces places = options.environments.places(search);
  const StudyEnvironments environments(
      study, asked.cells, places, setup_call(options.study, options.preset, options.environments));
  StudySettings settings;
  settings.environment = [&](const EnvironmentChoice& choice) -> const EnvironmentSite& {
    return environments.of(choice);
  };
  check_programs(study, asked.cells, {settings.environment, result, places.data});
  ResultStore store =
      open_result(result, study, design, study_text(options.study), environments.locks());
  for (const auto& trouble : store.troubles())
    std::cerr << "prengdl: " << printable(trouble.what()) << "\n";
  store.add_machine(machine);
  const auto runs = store.runs(Detail::figures);

  const std::vector<PlannedRun> planned = asked.runs_of(design);
  const FileDescriptor signals = take_signals();
  StudyTeller teller(can_overwrite(STDERR_FILENO));
  choose_runs(options, what_is_stored(runs), settings);
  settings.root = search.root;
  settings.result = result;
  settings.as_root = as_root;
  settings.signals = signals.get();
  settings.machine = machine.fingerprint;
  settings.units = design.units();
  settings.data = places.data;
  if (options.profile)
    settings.profile = [&](const Cell& cell) { return profile_of(result, cell); };
  LiveState live(result);
  settings.progress = [&](const StudyProgress& progress) {
    teller.tell(progress);
    live.tell(progress);
  };
  SystemClock clock;
  StoreKeeper keeper(store, study, design);
  keeper.note(runs.empty() ? "start" : "resume", shell_line(words));
  // More runs add blocks to those that are there, so their number may change on the way.
  keeper.note("planned", std::to_string(design.size() - refused.size() * study.runs));
  for (const auto& one : refused) keeper.note("refused", name_of(study, one.cell) + " " + one.why);
  for (const auto& note : environments.notes()) keeper.note("environment", note);
  const StudyEnd end =
      run_study(study, planned, design.cells(), settings, found.meters, clock, keeper);
  keeper.settle_up();
  teller.clear();
  static constexpr const char* kinds[] = {"end", "stop-early", "interrupted", "budget"};
  keeper.note(kinds[static_cast<std::size_t>(end.why)], end.detail);
  const RunTally tally = tally_of(stored_runs(store, keeper), planned, asked.cells);
  std::cerr << wrapped(ending_of(end, tally, study, words, result), style_of(STDERR_FILENO).width);
  if (end.why == StudyEnd::Why::interrupted) return 130;
  return end.given_up.empty() && tally.without_good_run.empty() && end.not_restored.empty() ? 0 : 1;
}

}  // namespace prengdl
