// SPDX-License-Identifier: Apache-2.0
#include "conclude/gate.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "base/parse.h"
#include "base/process.h"
#include "base/strings.h"
#include "campaign/measure_commands.h"
#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/command_words.h"
#include "cli/commands.h"
#include "cli/meter_options.h"
#include "meters/gpu_facts.h"
#include "model/measure.h"
#include "print/checks.h"
#include "print/progress.h"
#include "store/result.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

struct GateOptions {
  std::vector<std::string> results, commands;
  std::string limit = "+3%", primary = "metered", settle, timeout, alpha = "0.05";
  std::size_t runs = 20, warmup = 1;
  bool interleave = false, json = false, markdown = false, shell = false, as_root = false;
  MeterOptions meters;

  void declare(Arguments& arguments) {
    arguments.words("RESULT", results, "the result of the base and that of the change");
    arguments.flag("--interleave", interleave, "measure both now, in turns: the form for CI");
    arguments.texts("-c,--command", commands, "with --interleave: the base, then the change",
                    "CMD");
    arguments.text("--max", limit, "by how much the cost may rise (default +3%)", "PERCENT");
    arguments.text("--measure", primary,
                   "what is tested: metered, seconds, cpu_seconds, a domain (default metered)",
                   "NAME");
    arguments.text("--alpha", alpha, "the share of wrong verdicts that is allowed (default 0.05)",
                   "NUMBER");
    arguments.count("-n,--runs", runs, "with --interleave: runs of each (default 20)");
    arguments.count("--warmup", warmup, "with --interleave: uncounted runs before (default 1)");
    arguments.text("--settle", settle, "before each run wait for a quiet machine, at most so long",
                   "TIME");
    arguments.text("--timeout", timeout, "end a run after this time", "TIME");
    arguments.flag("--shell", shell, "give each -c to /bin/sh instead of splitting it into words");
    arguments.flag("--as-root", as_root, "under sudo: run the commands as root");
    arguments.flag("--json", json, "as JSON");
    arguments.flag("--markdown", markdown, "as Markdown, for a pull request");
    meters.declare(arguments);
    arguments.footer(
        "Exit: 0 the cost is not above the limit, 3 it is, 4 cannot tell, 1 failed, 2 wrong "
        "usage.\n"
        "Examples:\n  prengdl gate --interleave -n 30 -c \"./old\" -c \"./new\" --max +3% "
        "--markdown\n"
        "  prengdl gate main.result change.result --max +5%");
  }
};

/// Refuses a word that is no measure before anything is measured.
void check_measure(const std::string& measure, const std::vector<std::string>& domains) {
  if (!is_known_measure(measure, domains))
    throw UsageError(fmt::format("--measure {}: there is no such measure", measure),
                     measure_advice(measure, domains));
}

/// Both sides measured now, block by block.
GateInput measure_both(const GateOptions& options) {
  if (options.commands.size() != 2)
    throw UsageError("--interleave needs two commands: -c BASE -c CHANGE",
                     "prengdl gate --interleave -c \"./old\" -c \"./new\"");
  check_measure(options.primary, options.meters.named_domains());
  CommandPlan plan;
  for (const auto& text : options.commands)
    plan.commands.push_back({text, words_of_command(text, options.shell)});
  plan.runs = options.runs;
  plan.warmup = options.warmup;
  plan.seed = 1;
  if (!options.settle.empty()) plan.settle = duration_option("--settle", options.settle);
  if (!options.timeout.empty()) plan.timeout = duration_option("--timeout", options.timeout);
  const MeterSearch search = options.meters.search();
  MeasureSettings settings;
  settings.cells.root = search.root;
  settings.cells.as_root = workload_as_root(options.as_root);
  settings.cells.output.emplace().to = OutputChoice::To::hidden;
  const FileDescriptor signals = take_signals();
  settings.cells.signals = signals.get();
  const FoundMeters found = find_meters(search);
  refuse_incomplete(found);
  settings.cells.gpu_processes = gpu_watch(search, found);
  SystemClock clock;
  StudyTeller teller(can_overwrite(STDERR_FILENO), false);
  settings.progress = by_command(teller, plan);
  const MeasuredCommands measured = measure_commands(plan, settings, found.meters, clock);
  teller.clear();
  if (measured.interrupted) throw Error("interrupted: there is no verdict");
  if (measured.failed)
    throw Error("a command failed: there is no verdict", "try both by hand first");
  const auto runs = runs_by_command(measured);
  return gate_input(options.commands[0], runs[0], options.commands[1], runs[1], true,
                    options.primary);
}

/// The good runs of a result and the machines that they come from.
struct Side {
  std::vector<Run> runs;
  std::vector<std::string> machines;
};

Side side_of(const std::string& directory) {
  const auto store = ResultStore::open(directory, Access::read_only);
  Side side;
  Cell cell;
  for (auto& run : store.runs()) {
    if (run.is_warmup || run.excluded) continue;
    if (!cell.empty() && run.cell != cell)
      throw Error(fmt::format("{} has more than one cell", directory),
                  "gate compares two results of one cell each: make them with measure -o, or "
                  "with run --only");
    cell = run.cell;
    if (std::find(side.machines.begin(), side.machines.end(), run.machine) == side.machines.end())
      side.machines.push_back(run.machine);
    if (run.outcome != Outcome::ok && run.run.exit_code == 0) run.run.exit_code.reset();
    // Imported runs tell no exit code; what came out well is told by the outcome.
    if (run.outcome == Outcome::ok && !run.run.exit_code && !run.run.signal) run.run.exit_code = 0;
    side.runs.push_back(std::move(run.run));
  }
  if (!side.runs.empty() && std::none_of(side.runs.begin(), side.runs.end(), succeeded))
    throw Error(fmt::format("all runs in {} failed: there is no verdict", directory),
                fmt::format("Look for the reasons with `prengdl status {}`.", directory));
  return side;
}

GateInput read_both(const GateOptions& options) {
  if (options.results.size() != 2 || !options.commands.empty())
    throw UsageError("gate needs two results, or --interleave with two commands",
                     "prengdl gate BASE.result NEW.result, or prengdl gate --interleave -c A -c B");
  const Side base = side_of(options.results[0]);
  const Side candidate = side_of(options.results[1]);
  std::set<std::string> domains;
  for (const auto* side : {&base, &candidate})
    for (const auto& run : side->runs)
      for (const auto& [domain, energy] : run.energy.domains) domains.insert(domain);
  check_measure(options.primary, {domains.begin(), domains.end()});
  // Made at different times: there are no pairs.
  GateInput input = gate_input(options.results[0], base.runs, options.results[1], candidate.runs,
                               false, options.primary);
  input.base.machines = base.machines;
  input.candidate.machines = candidate.machines;
  input.notes.emplace_back(
      "the two were measured at different times: drift of the machine counts as a difference; "
      "--interleave avoids that");
  return input;
}

}  // namespace

int gate_command(const std::vector<std::string>& words) {
  GateOptions options;
  Arguments arguments("gate", "Is the cost of a change above a limit?");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  if (options.json && options.markdown) throw UsageError("give one of --json and --markdown", "");
  const auto limit = parse_limit(options.limit);
  if (!limit) throw UsageError("--max: " + std::string(limit.error().what()), limit.error().hint);
  const auto alpha = parse_number(options.alpha);
  if (!alpha || *alpha <= 0 || *alpha >= 0.5)
    throw UsageError("--alpha " + options.alpha + " is not between 0 and 0.5", "0.05 is usual");
  GateInput input = options.interleave ? measure_both(options) : read_both(options);
  input.limit = *limit;
  input.alpha = *alpha;
  const GateResult result = judge(input);
  if (options.json || options.markdown)
    std::cout << (options.json ? gate_json(result) : gate_markdown(result));
  else
    show(gate_text(result, style_of(STDOUT_FILENO)));
  return exit_code(result.verdict);
}

}  // namespace prengdl
