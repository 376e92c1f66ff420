// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>

#include "base/amounts.h"
#include "base/parse.h"
#include "base/process.h"
#include "base/strings.h"
#include "campaign/measure_commands.h"
#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/command_words.h"
#include "cli/commands.h"
#include "cli/meter_options.h"
#include "conclude/gate_input.h"
#include "conclude/pairing.h"
#include "meters/gpu_facts.h"
#include "model/counted_runs.h"
#include "model/measure.h"
#include "print/checks.h"
#include "print/progress.h"
#include "store/result.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

struct GateOptions {
  std::vector<std::string> results, commands;
  std::string limit = "+3%", primary = "metered", between, settle, timeout, alpha = "0.05";
  std::size_t runs = 20, warmup = 1;
  bool interleave = false, json = false, markdown = false, quiet = false;
  bool shell = false, as_root = false;
  MeterOptions meters;

  void declare(Arguments& arguments) {
    arguments.words("RESULT", results,
                    "the results of the base and of the change, or one result with both");
    arguments.flag("--interleave", interleave, "measure both now, in turn: the best form for CI");
    arguments.texts("-c,--command", commands, "with --interleave: the base, then the change",
                    "CMD");
    arguments.text("--max", limit, "how much the cost may rise (default +3%)", "PERCENT");
    arguments.text("--measure", primary,
                   "the measure to test: metered, seconds, cpu_seconds, a domain (default metered)",
                   "NAME");
    arguments.text("--alpha", alpha, "the share of wrong verdicts to allow (default 0.05)",
                   "NUMBER");
    arguments.text("--between", between,
                   "two results: standard deviation of costs between occasions, e.g. 2%",
                   "PERCENT");
    arguments.count("-n,--runs", runs, "with --interleave: runs of each (default 20)");
    arguments.count("--warmup", warmup, "with --interleave: uncounted runs first (default 1)");
    arguments.text("--settle", settle,
                   "before each run, wait until the machine is quiet, but no longer than this",
                   "TIME");
    arguments.text("--timeout", timeout, "stop a run after this time", "TIME");
    arguments.flag("--shell", shell, "run each -c with /bin/sh instead of splitting it into words");
    arguments.flag("--as-root", as_root, "under sudo: run the commands as root");
    arguments.flag("-q,--quiet", quiet, "print only the verdict; no progress");
    arguments.flag("--json", json, "as JSON");
    arguments.flag("--markdown", markdown, "as Markdown, for a pull request");
    meters.declare(arguments);
    arguments.footer(
        "Exit: 0 the cost is not above the limit, 3 it is, 4 cannot tell, 1 failed, 2 wrong "
        "usage.\n"
        "Examples:\n  prengdl gate --interleave -n 30 -c \"./old\" -c \"./new\" --max +3% "
        "--markdown\n"
        "  prengdl gate both.result --max +5%\n"
        "  prengdl gate main.result change.result --max +5% --between 2%");
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
  if (!options.quiet) settings.progress = by_command(teller, plan);
  const MeasuredCommands measured = measure_commands(plan, settings, found.meters, clock);
  teller.clear();
  if (measured.interrupted) throw Error("interrupted: there is no verdict");
  if (measured.failed)
    throw Error("a command failed: there is no verdict", "try both by hand first");
  const auto runs = runs_by_command(measured);
  return gate_input(measured_runs(options.commands[0], runs[0]),
                    measured_runs(options.commands[1], runs[1]), true, options.primary);
}

/// The cells of a result that have runs, in the order of the study's levels.
struct ResultCells {
  std::string directory;
  std::vector<Cell> cells;
  std::vector<StoredRun> runs;
  bool has_blocks = false;

  GateRuns side(const std::string& label, const Cell& cell) const {
    std::vector<StoredRun> of_cell;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(of_cell),
                 [&](const StoredRun& run) { return run.cell == cell; });
    return stored_runs(label, of_cell, has_blocks);
  }

  /// Whether the start times of its two cells prove that their runs are pairs.
  bool took_turns() const {
    std::array<std::vector<const StoredRun*>, 2> sides;
    for (const auto* run : counted_runs(runs, has_blocks))
      for (std::size_t i = 0; i < 2; ++i)
        if (run->cell == cells[i]) sides[i].push_back(run);
    return order_of_runs(sides[0], sides[1], {"base", "new"}, has_blocks).pairing.is_proved;
  }
};

/// Where each level of a cell is among those of its factor.
std::vector<std::size_t> places_of(const Cell& cell, const std::vector<Factor>& factors) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < std::min(cell.size(), factors.size()); ++i) {
    const auto& levels = factors[i].levels;
    const auto level = std::find(levels.begin(), levels.end(), cell[i]);
    places.push_back(static_cast<std::size_t>(level - levels.begin()));
  }
  return places;
}

ResultCells cells_in(const std::string& directory) {
  const auto store = ResultStore::open(directory, Access::read_only);
  const auto study = store.study();
  ResultCells result{directory, {}, store.runs(), study.blocks > 0};
  bool any_is_good = false;
  for (const auto& run : result.runs) {
    if (run.is_warmup || run.excluded) continue;
    any_is_good |= is_good(run);
    if (std::find(result.cells.begin(), result.cells.end(), run.cell) == result.cells.end())
      result.cells.push_back(run.cell);
  }
  if (!result.cells.empty() && !any_is_good)
    throw Error(fmt::format("all runs in {} failed: there is no verdict", directory),
                fmt::format("Find out why with `prengdl status {}`.", directory));
  std::sort(result.cells.begin(), result.cells.end(), [&](const Cell& a, const Cell& b) {
    return places_of(a, study.factors) < places_of(b, study.factors);
  });
  return result;
}

/// The runs of a result that is one side.
GateRuns only_cell_of(const ResultCells& result) {
  if (result.cells.size() > 1)
    throw Error(fmt::format("{} has more than one cell", result.directory),
                "gate compares two results of one cell each, or the two cells of one result. Make "
                "them with measure -o, or with run --only");
  return result.side(result.directory, result.cells.empty() ? Cell{} : result.cells.front());
}

/// Refuses a word that is neither a measure nor a domain of the runs.
void check_measure(const std::string& measure, const GateRuns& base, const GateRuns& candidate) {
  std::set<std::string> domains;
  for (const auto* side : {&base, &candidate})
    for (const auto& run : side->runs)
      for (const auto& [domain, energy] : run.energy.domains) domains.insert(domain);
  check_measure(measure, {domains.begin(), domains.end()});
}

/// Two cells that were measured in one study: pairs if they took turns.
GateInput read_one(const std::string& directory, const std::string& primary) {
  const ResultCells result = cells_in(directory);
  if (result.cells.size() != 2)
    throw Error(fmt::format("{} has {}, but gate needs a base and a change", directory,
                            counted(result.cells.size(), "cell")),
                "prengdl gate BASE.result NEW.result compares two results of one cell each");
  const GateRuns base = result.side(joined(result.cells[0], " "), result.cells[0]);
  const GateRuns candidate = result.side(joined(result.cells[1], " "), result.cells[1]);
  check_measure(primary, base, candidate);
  const bool are_pairs = result.has_blocks && result.took_turns();
  GateInput input = gate_input(base, candidate, are_pairs, primary);
  if (!are_pairs)
    input.notes.emplace_back(
        "the start times do not show that the two ran in turn, so they count as two occasions");
  return input;
}

GateInput read_both(const std::vector<std::string>& results, const std::string& primary) {
  const GateRuns base = only_cell_of(cells_in(results[0]));
  const GateRuns candidate = only_cell_of(cells_in(results[1]));
  check_measure(primary, base, candidate);
  return gate_input(base, candidate, false, primary);
}

GateInput read_results(const GateOptions& options) {
  if (options.results.empty() || options.results.size() > 2 || !options.commands.empty())
    throw UsageError("gate needs one or two results, or --interleave with two commands",
                     "prengdl gate BASE.result NEW.result, or prengdl gate --interleave -c A -c B");
  return options.results.size() == 1 ? read_one(options.results.front(), options.primary)
                                     : read_both(options.results, options.primary);
}

}  // namespace

int gate_command(const std::vector<std::string>& words) {
  GateOptions options;
  Arguments arguments("gate", "Checks whether a change raises the cost above a limit.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  if (options.json && options.markdown) throw UsageError("give one of --json and --markdown", "");
  const auto limit = parse_limit(options.limit);
  if (!limit) throw UsageError("--max: " + std::string(limit.error().what()), limit.error().hint);
  const auto alpha = parse_number(options.alpha);
  if (!alpha || *alpha <= 0 || *alpha >= 0.5)
    throw UsageError("--alpha " + options.alpha + " is not between 0 and 0.5", "0.05 is usual");
  std::optional<double> between;
  if (!options.between.empty()) {
    if (options.interleave)
      throw UsageError(
          "--between is for results from two occasions, but --interleave measures on one",
          "leave --between out");
    const auto parsed = parse_between(options.between);
    if (!parsed)
      throw UsageError("--between: " + std::string(parsed.error().what()), parsed.error().hint);
    between = *parsed;
  }
  GateInput input = options.interleave ? measure_both(options) : read_results(options);
  input.between = between;
  input.limit = *limit;
  input.alpha = *alpha;
  const GateResult result = judge(input);
  const Style style = style_of(STDOUT_FILENO);
  if (options.json || options.markdown)
    std::cout << (options.json ? gate_json(result) : gate_markdown(result));
  else
    show(options.quiet ? gate_line(result, style) : gate_text(result, style));
  return exit_code(result.verdict);
}

}  // namespace prengdl
