// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include <fmt/core.h>
#include <unistd.h>

#include <iostream>

#include "base/escaping.h"
#include "campaign/pilot.h"
#include "print/progress.h"
#include "study/plan.h"
#include "study/study_file.h"
#include "tables/terminal.h"

namespace prengdl {

void RunOptions::declare(Arguments& arguments) {
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
  arguments.text("--on", on, "where runs are made: local (default) or slurm", "WHERE");
  arguments.texts("--slurm", slurm, "with --on slurm: a value of [slurm] for this start",
                  "KEY=VALUE");
  arguments.flag("--detach", detach, "with --on slurm: look after the jobs in the background");
  arguments.flag("--cancel", cancel, "with --on slurm: end all jobs of the study, and stop");
  arguments.text("--task", task, "for the scripts of --on slurm: make what this file says", "FILE");
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

std::filesystem::path result_of(const Study& study, const RunOptions& options) {
  return std::filesystem::absolute(options.output.empty() ? default_result(study)
                                                          : std::filesystem::path(options.output));
}

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

}  // namespace prengdl
