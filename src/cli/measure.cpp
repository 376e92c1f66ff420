// SPDX-License-Identifier: Apache-2.0
#include "cli/measure.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "analysis/compare_commands.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/command_words.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "cli/sibling.h"
#include "cli/signals.h"
#include "meters/embedded.h"
#include "meters/estimate.h"
#include "report/measure_report.h"
#include "report/terminal.h"
#include "run/awake.h"
#include "run/machine.h"
#include "run/series.h"

namespace prengdl {
namespace {

struct MeasureOptions {
  std::vector<std::string> commands;
  std::vector<std::string> rest;
  std::vector<std::string> names;
  std::size_t runs = 1;
  std::size_t warmup = 0;
  std::string settle, idle, timeout, seed, output, directory, result;
  std::string rate = "100Hz";
  bool shell = false, as_root = false, ignore_failure = false;
  bool json = false, csv = false, markdown = false;
  MeterOptions meters;

  void declare(Arguments& arguments) {
    arguments.texts("-c,--command", commands,
                    "a command to measure; give it several times to compare", "CMD");
    arguments.texts("--name", names, "what to call the command of the same place", "TEXT");
    arguments.count("-n,--runs", runs, "how often each command runs (default 1)");
    arguments.count("--warmup", warmup, "uncounted runs of each command before (default 0)");
    arguments.text("--settle", settle,
                   "before each run wait for a quiet machine, at most this long", "TIME");
    arguments.text("--idle", idle, "measure the idle machine before each block; adds net joules",
                   "TIME");
    arguments.text("--rate", rate, "samples per second, up to 1kHz (default 100Hz)", "RATE");
    arguments.text("--timeout", timeout, "end a run after this time", "TIME");
    arguments.text("--seed", seed, "of the random order; stored with the result", "N");
    arguments.text("--output", output,
                   "the command's output: show, hide, or a directory to keep it in (default: show "
                   "for a single run, else hide)",
                   "WHERE");
    arguments.text("-o,--result", result,
                   "also store everything in this result directory, as a study of one factor",
                   "DIR");
    arguments.text("--directory", directory, "start the command there", "DIR");
    arguments.flag("--shell", shell, "give each -c to /bin/sh instead of splitting it into words");
    arguments.flag("--as-root", as_root, "under sudo: run the command as root");
    arguments.flag("--ignore-failure", ignore_failure, "go on when a command fails");
    arguments.flag("--json", json, "results as JSON");
    arguments.flag("--csv", csv, "results as CSV, a row per run");
    arguments.flag("--markdown", markdown, "results as a Markdown table");
    meters.declare(arguments);
    arguments.command_line(rest, "[-c CMD]... [-- CMD ARGS]");
    arguments.footer(
        "Times are written 250ms, 5s, 10min. Exit: 0 done, 1 a command failed, 2 wrong usage, 130 "
        "interrupted.\nExamples:\n  prengdl measure -- python train.py\n  prengdl measure -n 10 -c "
        "\"python a.py\" -c \"python b.py\"\n  sudo prengdl measure --idle 5s --json -- ./job");
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
                     "names belong to commands by their place");
  for (std::size_t i = 0; i < options.names.size(); ++i) commands[i].label = options.names[i];
  for (std::size_t i = 0; i < commands.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (commands[i].label == commands[j].label)
        throw UsageError(
            fmt::format("command {} and command {} are both called '{}'", j + 1, i + 1,
                        commands[i].label),
            "Give each command a name of its own: one --name for each, in the same order.");
  return commands;
}

Seconds interval_of(const std::string& text) {
  const auto rate = parse_rate(text);
  if (!rate) throw UsageError(std::string("--rate: ") + rate.error().what(), rate.error().hint);
  if (*rate > 1000 || *rate < 0.1)
    throw UsageError(fmt::format("--rate {} is outside 0.1 Hz to 1 kHz", text),
                     "counters change about once a millisecond: more often shows nothing new");
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

/// A single run reads what we read, as under `time`; repeated runs cannot share one input.
FileDescriptor direct_input(Launch& launch, std::size_t all_runs) {
  if (all_runs == 1) {
    launch.takes_terminal = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
    return {};
  }
  FileDescriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  launch.standard_input = null.get();
  return null;
}

/// For a stored result, and for GPUs, which speak through libraries.
bool needs_full_program(const MeasureOptions& options, const MeterSearch& search) {
  return !options.result.empty() || may_have_nvml(search) || may_have_rocm(search);
}

bool mentions(const FoundMeters& found, std::string_view source) {
  const auto is_of = [&](const std::string& id) { return id.starts_with(source); };
  return std::any_of(found.meters.begin(), found.meters.end(),
                     [&](const auto& meter) { return is_of(meter->info().id); }) ||
         std::any_of(found.left_out.begin(), found.left_out.end(),
                     [&](const LeftOut& one) { return is_of(one.source); });
}

}  // namespace

int measure(const std::vector<std::string>& words, const KeepSeries& keep) {
  MeasureOptions options;
  Arguments arguments("measure", "Measures the energy and time of commands.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  if (options.json + options.csv + options.markdown > 1)
    throw UsageError("give one of --json, --csv and --markdown",
                     "measure once with --json and make the rest from it");
  if (options.runs == 0) throw UsageError("--runs must be at least 1", "leave it out for one run");
  const MeterSearch search = options.meters.search();
  if (!keep && needs_full_program(options, search)) {
    std::vector<std::string> all{"measure"};
    all.insert(all.end(), words.begin(), words.end());
    become_full_program(std::move(all));
  }
  const bool as_root = workload_as_root(options.as_root);

  Series series;
  series.commands = commands_of(options);
  series.runs = options.runs;
  series.warmup = options.warmup;
  series.ignore_failure = options.ignore_failure;
  series.seed = seed_of(options.seed);
  if (!options.settle.empty()) series.settle = duration_option("--settle", options.settle);
  if (!options.idle.empty()) series.idle = duration_option("--idle", options.idle);
  AttemptSettings& attempt = series.attempt;
  attempt.interval = interval_of(options.rate);
  attempt.root = search.root;
  if (!options.timeout.empty()) attempt.timeout = duration_option("--timeout", options.timeout);
  attempt.launch.directory = options.directory;
  attempt.launch.as_root = as_root;
  const std::size_t all_runs = (series.runs + series.warmup) * series.commands.size();
  attempt.output = output_of(options, all_runs);
  const FileDescriptor input = direct_input(attempt.launch, all_runs);
  const FileDescriptor signals = take_signals();
  attempt.signals = signals.get();

  const FoundMeters found = [&] {
    const AwakeCpus awake(search.root);
    return find_meters(search);
  }();
  refuse_incomplete(found);
  if (mentions(found, "nvml"))
    attempt.gpu_processes = [&] {
      return nvml_other_processes(search).value_or(std::vector<unsigned>{});
    };
  Machine machine;
  Chores chores;
  attempt.chores = &chores;
  if (options.json)
    add_machine_chores(search.root, search.environment, variable_names(), machine, chores);
  SystemClock clock;
  Progress progress(series, can_overwrite(STDERR_FILENO), all_runs > 1);
  SeriesEvents events = progress.events();
  const auto stored = options.result.empty() ? std::function<void()>([] {})
                                             : keep(options.result, series, search, events);
  const SeriesResult result = run_series(series, found.meters, clock, events);
  progress.clear();
  stored();

  MeasureReport report{found.meters, found.left_out, series, result, {}, {}, {}, {}};
  std::vector<std::string> labels;
  labels.reserve(series.commands.size());
  for (const auto& command : series.commands) labels.push_back(command.label);
  if (labels.size() > 1)
    report.findings = compare_commands(labels, result.runs, options.ignore_failure);
  if (options.json) {
    const AwakeCpus awake(search.root);
    chores.do_all();
    report.machine = std::move(machine);
    // Only where discovery met a library: asking again for one that is not there takes a while.
    if (mentions(found, "nvml")) report.gpus = nvml_facts(search);
    if (mentions(found, "rocm"))
      for (auto& gpu : rocm_facts(search)) report.gpus.push_back(std::move(gpu));
    for (const auto& meter : found.meters)
      if (meter->info().quality == Quality::model)
        if (auto model = choose_power_model(search.root, embedded::power_models()))
          report.power_model = *model;
    std::cout << measure_json(report);
  } else if (options.csv) {
    std::cout << measure_csv(report);
  } else if (options.markdown) {
    std::cout << measure_markdown(report);
  } else {
    show(measure_text(report, style_of(STDOUT_FILENO)));
  }
  std::cout.flush();
  if (result.interrupted) return 130;
  if (result.failed)
    std::cerr << "prengdl: a command failed; --ignore-failure measures it all the same\n";
  return result.failed ? 1 : 0;
}

}  // namespace prengdl
