// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/cell_pattern.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/live_state.h"
#include "cli/signals.h"
#include "cli/study_environments.h"
#include "cli/study_progress.h"
#include "cli/study_result.h"
#include "report/plan_report.h"
#include "report/terminal.h"
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
  bool dry_run = false, anyway = false, as_root = false, profile = false;
  EnvironmentOptions environments;
  MeterOptions meters;

  void declare(Arguments& arguments) {
    arguments.word("STUDY", study, "the study file");
    arguments.text("-o,--output", output, "the result directory (default: NAME.result)", "DIR");
    arguments.text("--preset", preset, "a preset of the study file", "NAME");
    arguments.count("--runs", runs, "runs of each cell, instead of what the study says");
    arguments.count("--blocks", blocks, "make at most so many blocks now");
    arguments.texts("--only", only, "make only the runs of this level now", "FACTOR=LEVEL");
    arguments.flag("--profile", profile,
                   "after the measured runs, one run of each cell under cProfile, not counted");
    arguments.flag("--dry-run", dry_run, "say what would run, and end");
    arguments.flag("--anyway", anyway, "also run a design that can show nothing");
    arguments.flag("--as-root", as_root, "under sudo: run the workloads as root");
    environments.declare(arguments);
    meters.declare(arguments);
    arguments.footer(
        "A study that was stopped or killed goes on where it was. Its environments are made by\n"
        "prengdl setup STUDY.\nExit: 0 done, 1 failed or a "
        "cell "
        "was given up, 2 wrong usage, 130 interrupted.\nExamples:\n  prengdl run "
        "studies/quick.toml\n"
        "  sudo prengdl run icse22.toml --preset laptop -o results/laptop");
  }
};

std::size_t place_of(const std::vector<Cell>& cells, const Cell& cell) {
  return static_cast<std::size_t>(std::find(cells.begin(), cells.end(), cell) - cells.begin());
}

/// For people: how it ended, and what to do next.
std::string ending(const StudyEnd& end, const Study& study, std::size_t planned,
                   const std::filesystem::path& result) {
  std::string text = fmt::format("{} of {} runs are done", end.done, planned);
  if (end.failures > 0) text += fmt::format(", {} failed", end.failures);
  text += fmt::format("; result in {}\n", result.string());
  switch (end.why) {
    case StudyEnd::Why::interrupted:
      text += "  interrupted: the same command goes on from here\n";
      break;
    case StudyEnd::Why::budget:
      text += fmt::format("  the budget is used up: {}\n", end.detail);
      break;
    case StudyEnd::Why::stopped_early:
      text += fmt::format("  stopped early: {}\n", end.detail);
      break;
    case StudyEnd::Why::complete:
      break;
  }
  for (const auto& cell : end.given_up)
    text += fmt::format("  given up after {} failures in a row: {} (prengdl status {} tells why)\n",
                        study.protocol.give_up_after, printable(cell), result.string());
  for (const auto& trouble : end.not_restored)
    text +=
        fmt::format("  a setting of this machine could not be restored: {}\n", printable(trouble));
  if (!end.not_restored.empty())
    text += "  the next prengdl run tries again; until then this machine stays changed\n";
  for (const auto& cell : end.unprofiled)
    text += fmt::format("  no profile of {}\n", printable(cell));
  return text;
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  RunOptions options;
  Arguments arguments("run", "Runs a study, or goes on with it.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  const bool as_root = workload_as_root(options.as_root);

  Study study = load_study(options.study, options.preset, environments_to_name());
  if (!study.imported.empty())
    throw UsageError(
        fmt::format("{} describes runs that were imported ({}): there is nothing to run",
                    options.study, study.imported),
        "look at them with prengdl compare, audit, status and export");
  if (options.runs > 0) study.runs = options.runs;
  const MeterSearch search = options.meters.search();
  const FoundMeters found = find_all(search);
  refuse_incomplete(found);
  if (!measures_energy(found)) go_without_meter(study.analysis);
  const Design design(study);
  const Plan plan = make_plan(study);
  if (!plan.can_show && !options.anyway)
    throw UsageError("this design can show nothing: " + plan.why_not,
                     "change the study (prengdl plan tells more), or run it --anyway");
  if (options.dry_run) {
    std::cout << plan_text(plan, true, wants_colour(STDOUT_FILENO));
    return 0;
  }

  const std::filesystem::path result =
      std::filesystem::absolute(options.output.empty() ? study.name + ".result" : options.output);
  std::vector<bool> wanted;
  std::vector<Cell> cells;  // that will run
  const CellPattern only = cell_pattern(study, options.only);
  for (const auto& cell : design.cells()) {
    wanted.push_back(fits(study, only, cell));
    if (wanted.back()) cells.push_back(cell);
  }
  const MachineRecord machine = this_machine(search);
  const auto refused =
      check_requirements(study, cells, machine.facts, gpu_memories(search), result.parent_path());
  for (const auto& one : refused) {
    std::cerr << fmt::format("refused: {} {}\n", printable(name_of(study, one.cell)), one.why);
    std::erase(cells, one.cell);
    wanted[place_of(design.cells(), one.cell)] = false;
  }
  const EnvironmentPlaces places = options.environments.places(search);
  const StudyEnvironments environments(
      study, cells, places, setup_call(options.study, options.preset, options.environments));
  ResultStore store =
      open_result(result, study, design, study_text(options.study), environments.locks());
  for (const auto& trouble : store.troubles())
    std::cerr << "prengdl: " << printable(trouble.what()) << "\n";
  store.add_machine(machine);
  const auto runs = store.runs(Detail::figures);
  const Stored stored = what_is_stored(runs);

  std::vector<PlannedRun> planned;
  for (const auto& one : design.all_runs())
    if (wanted[one.cell]) planned.push_back(one);
  const FileDescriptor signals = take_signals();
  StudyTeller teller(can_overwrite(STDERR_FILENO));
  StudySettings settings;
  settings.root = search.root;
  settings.result = result;
  settings.as_root = as_root;
  settings.signals = signals.get();
  settings.machine = machine.fingerprint;
  settings.units = design.units();
  if (options.blocks > 0) settings.most_blocks = options.blocks;
  settings.places = stored.places;
  settings.energy_before = stored.energy;
  settings.quality_before = stored.quality;
  settings.time_before = stored.time;
  settings.failures_before = stored.failures;
  settings.environment = [&](const EnvironmentChoice& choice) -> const EnvironmentSite& {
    return environments.of(choice);
  };
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
  std::cerr << ending(end, study, planned.size(), result);
  if (end.why == StudyEnd::Why::interrupted) return 130;
  return end.given_up.empty() && end.not_restored.empty() ? 0 : 1;
}

}  // namespace prengdl
