// SPDX-License-Identifier: Apache-2.0
#include "print/measure.h"

#include <fmt/core.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "base/parse.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "campaign/measure_commands.h"
#include "campaign/parameters.h"
#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/command_words.h"
#include "cli/commands.h"
#include "cli/meter_options.h"
#include "conclude/comparable_runs.h"
#include "machine/awake.h"
#include "machine/machine.h"
#include "machine/this_machine.h"
#include "meters/embedded.h"
#include "meters/estimate.h"
#include "meters/gpu_facts.h"
#include "model/window.h"
#include "print/progress.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

struct MeasureOptions {
  std::vector<std::string> commands;
  std::vector<std::string> rest;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> lists;
  std::size_t runs = 1;
  std::size_t warmup = 0;
  std::string settle, idle, timeout, seed, output, directory, result, window;
  std::string rate = "100Hz";
  bool shell = false, as_root = false, ignore_failure = false;
  bool json = false, csv = false, markdown = false, quiet = false;
  MeterOptions meters;

  void declare(Arguments& arguments) {
    arguments.texts("-c,--command", commands, "a command to measure; give several to compare them",
                    "CMD");
    arguments.texts("--name", names, "a name for the command in the same position", "TEXT");
    arguments.pairs("-L,--parameter-list", lists,
                    "run every command once for each value: {NAME} stands for it", "NAME VALUES");
    arguments.count("-n,--runs", runs, "how often each command runs (default 1)");
    arguments.count("--warmup", warmup, "uncounted runs of each command first (default 0)");
    arguments.text("--window", window,
                   "compare this span that the commands emit, not whole runs: epoch, epoch>1",
                   "SPAN");
    arguments.text("--settle", settle,
                   "before each run, wait until the machine is quiet, but no longer than this",
                   "TIME");
    arguments.text("--idle", idle,
                   "measure the idle machine before each block and report net joules", "TIME");
    arguments.text("--rate", rate, "samples per second, up to 1kHz (default 100Hz)", "RATE");
    arguments.text("--timeout", timeout, "stop a run after this time", "TIME");
    arguments.text("--seed", seed, "seed of the random order; stored with the result", "N");
    arguments.text("--output", output,
                   "the command's output: show, hide, or a directory to keep it in (default: show "
                   "for a single run, else hide)",
                   "WHERE");
    arguments.text("-o,--result", result, "also store everything in this result directory", "DIR");
    arguments.text("--directory", directory, "run the commands in this directory", "DIR");
    arguments.flag("--shell", shell, "run each -c with /bin/sh instead of splitting it into words");
    arguments.flag("--as-root", as_root, "under sudo: run the commands as root");
    arguments.flag("--ignore-failure", ignore_failure, "continue when a command fails");
    arguments.flag("-q,--quiet", quiet, "print only the answer; no progress");
    arguments.flag("--json", json, "print JSON");
    arguments.flag("--csv", csv, "print CSV, a row per run");
    arguments.flag("--markdown", markdown, "print a Markdown table");
    meters.declare(arguments);
    arguments.command_line(rest, "[-c CMD]... [-- CMD ARGS]");
    arguments.footer(
        "Write times as 250ms, 5s or 10min. Exit: 0 done, 1 a command failed or the window is\n"
        "missing, 2 wrong usage, 130 interrupted.\n"
        "Examples:\n  prengdl measure -- python train.py\n"
        "  prengdl measure -n 10 -c \"python a.py\" -c \"python b.py\"\n"
        "  prengdl measure -n 10 -L batch 16,64 -c \"python train.py --batch {batch}\"\n"
        "  prengdl measure -n 10 --window epoch -c \"python a.py\" -c \"python b.py\"\n"
        "  sudo prengdl measure --idle 5s --json -- ./job");
  }
};

std::vector<Command> commands_of(const MeasureOptions& options) {
  std::vector<Command> commands;
  commands.reserve(options.commands.size() + 1);
  for (const auto& text : options.commands)
    commands.push_back({text, words_of_command(text, options.shell)});
  if (!options.rest.empty()) commands.push_back({shell_line(options.rest), options.rest});
  if (commands.empty())
    throw UsageError("there is no command to measure",
                     "write it after --, as in: prengdl measure -- sleep 1");
  if (options.names.size() > commands.size())
    throw UsageError("there are more --name than commands",
                     "Give at most one --name per command, in the same order.");
  for (std::size_t i = 0; i < options.names.size(); ++i) commands[i].label = options.names[i];
  for (std::size_t i = 0; i < commands.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (commands[i].label == commands[j].label)
        throw UsageError(fmt::format("command {} and command {} are both called '{}'", j + 1, i + 1,
                                     commands[i].label),
                         "Give each command its own --name, in the same order.");
  return commands;
}

Seconds interval_of(const std::string& text) {
  const auto rate = parse_rate(text);
  if (!rate) throw UsageError(std::string("--rate: ") + rate.error().what(), rate.error().hint);
  if (*rate > 1000 || *rate < 0.1)
    throw UsageError(fmt::format("--rate {} is outside 0.1 Hz to 1 kHz", text),
                     "Counters change about once per millisecond, so a higher rate adds nothing.");
  return Seconds{1 / *rate};
}

std::uint64_t seed_of(const std::string& text) {
  if (text.empty()) {
    // Straight from the kernel: std::random_device asks the processor what it can do first, which
    // is slow in a guest.
    std::uint32_t number{};
    if (getrandom(&number, sizeof number, 0) == sizeof number) return number;
    return std::random_device{}();
  }
  const auto seed = parse_integer(text);
  if (!seed || *seed < 0)
    throw UsageError("--seed " + text + " is not a whole number", "write digits only");
  return static_cast<std::uint64_t>(*seed);
}

OutputChoice output_of(const MeasureOptions& options, std::size_t all_runs) {
  OutputChoice choice;
  choice.results_on_stdout = options.json || options.csv || options.markdown;
  const std::string where =
      options.output.empty() ? (all_runs == 1 ? "show" : "hide") : options.output;
  if (where == "show") return choice;
  choice.to = where == "hide" ? OutputChoice::To::hidden : OutputChoice::To::kept;
  if (choice.to == OutputChoice::To::kept) choice.directory = where;
  return choice;
}

CommandPlan plan_of(const MeasureOptions& options) {
  if (options.runs == 0) throw UsageError("--runs must be at least 1", "leave it out for one run");
  CommandPlan plan;
  plan.commands = commands_of(options);
  for (const auto& [name, values] : options.lists)
    plan.parameters.push_back(parameter_list(name, values));
  std::vector<std::vector<std::string>> words;
  words.reserve(plan.commands.size());
  for (const auto& command : plan.commands) words.push_back(command.argv);
  check_placeholders(words, plan.parameters);
  if (!options.window.empty()) {
    const auto window = parse_window(options.window);
    if (!window)
      throw UsageError("--window: " + std::string(window.error().what()), window.error().hint);
    plan.window = options.window;
  }
  plan.runs = options.runs;
  plan.warmup = options.warmup;
  plan.seed = seed_of(options.seed);
  if (!options.settle.empty()) plan.settle = duration_option("--settle", options.settle);
  if (!options.idle.empty()) plan.idle = duration_option("--idle", options.idle);
  if (!options.timeout.empty()) plan.timeout = duration_option("--timeout", options.timeout);
  plan.interval = interval_of(options.rate);
  plan.directory = options.directory;
  return plan;
}

/// The facts about the machine that only the JSON contains.
void add_facts(const MeterSearch& search, const FoundMeters& found, Machine&& machine,
               MeasureReport& report) {
  report.machine = std::move(machine);
  // Only where discovery met a library: asking again for one that is not there takes a while.
  if (mentions(found, "nvml")) report.gpus = nvml_facts(search);
  if (mentions(found, "rocm"))
    for (auto& gpu : rocm_facts(search)) report.gpus.push_back(std::move(gpu));
  for (const auto& meter : found.meters)
    if (meter->info().quality == Quality::model)
      if (auto model = choose_power_model(search.root, embedded::power_models()))
        report.power_model = *model;
}

void print(const MeasureReport& report, const MeasureOptions& options) {
  if (options.json)
    std::cout << measure_json(report);
  else if (options.csv)
    std::cout << measure_csv(report);
  else if (options.markdown)
    std::cout << measure_markdown(report);
  else if (options.quiet)
    show(measure_quiet_text(report, style_of(STDOUT_FILENO)));
  else
    show(measure_text(report, style_of(STDOUT_FILENO)));
  std::cout.flush();
}

}  // namespace

int measure_command(const std::vector<std::string>& words) {
  MeasureOptions options;
  Arguments arguments("measure", "Measures the energy and time of commands and compares them.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  if (options.json + options.csv + options.markdown > 1)
    throw UsageError("give one of --json, --csv and --markdown",
                     "Measure once with --json and derive the others from it.");
  const MeterSearch search = options.meters.search();
  MeasureSettings settings;
  settings.cells.as_root = workload_as_root(options.as_root);
  const CommandPlan plan = plan_of(options);
  const auto commands = commands_of_cells(plan);
  const std::size_t all_runs = (plan.runs + plan.warmup) * commands.size();
  settings.cells.output = output_of(options, all_runs);
  // A single run shares our input, as under `time`; repeated runs cannot.
  settings.cells.shares_input = all_runs == 1;
  const FileDescriptor signals = take_signals();
  settings.cells.signals = signals.get();
  settings.cells.root = search.root;
  const FoundMeters found = [&] {
    const AwakeCpus awake(search.root);
    return find_meters(search);
  }();
  refuse_incomplete(found);
  settings.cells.gpu_processes = gpu_watch(search, found);
  Machine machine;
  Chores chores;
  settings.cells.chores = &chores;
  if (options.json)
    add_machine_chores(search.root, search.variables, variable_names(), machine, chores);
  if (!options.result.empty()) settings.cells.result = std::filesystem::absolute(options.result);
  settings.machine = [&] { return this_machine(search); };
  settings.call = shell_line(words);
  settings.ignore_failure = options.ignore_failure;
  StudyTeller teller(can_overwrite(STDERR_FILENO), !options.result.empty());
  if (all_runs > 1 && !options.quiet) settings.progress = by_command(teller, plan);
  SystemClock clock;
  MeasuredCommands measured = measure_commands(plan, settings, found.meters, clock);
  teller.clear();

  const auto no_window = window_trouble(measured.study, measured.runs);
  MeasureReport report{found.meters, found.left_out, plan};
  report.commands = commands;
  report.ignore_failure = options.ignore_failure;
  report.interrupted = measured.interrupted;
  if (!no_window) report.findings = findings_of(measured);
  const bool has_failed = measured.failed;
  report.runs = runs_by_command(std::move(measured));  // there may be millions of spans in them
  if (options.json) {
    const AwakeCpus awake(search.root);
    chores.do_all();
    add_facts(search, found, std::move(machine), report);
  }
  print(report, options);
  if (report.interrupted) return 130;
  if (has_failed)
    std::cerr << "prengdl: a command failed. Use --ignore-failure to measure it anyway.\n";
  if (no_window) throw Error(*no_window);
  return has_failed ? 1 : 0;
}

}  // namespace prengdl
