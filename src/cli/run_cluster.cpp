// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <iostream>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/own_files.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "cli/run_options.h"
#include "cluster/cluster_directory.h"
#include "cluster/controller.h"
#include "model/registration.h"
#include "print/progress.h"
#include "study/only.h"
#include "study/study_file.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Stopping early looks at pairs of one machine; blocks on many nodes are made at the same time.
void refuse_early_stopping(const Study& study) {
  if (study.protocol.stopping.rule != Stopping::Rule::never)
    throw UsageError("a study that may stop early runs on one machine",
                     "Take `stop` out of [protocol], or run it without --on slurm.");
}

/// The command that makes a task on a node, without the file of its array.
std::vector<std::string> node_command(const RunOptions& options, const Study& study,
                                      const fs::path& result, const EnvironmentPlaces& places) {
  std::vector<std::string> words{
      study.slurm.container.empty() ? fs::read_symlink("/proc/self/exe").string() : "prengdl",
      "run", (result / "study.toml").string(), "-o", result.string()};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--preset", options.preset);
  if (options.runs > 0) add("--runs", std::to_string(options.runs));
  for (const auto& one : options.only) add("--only", one);
  for (const auto& one : options.slurm) add("--slurm", one);
  if (options.meters.root != "/") add("--root", fs::absolute(options.meters.root).string());
  for (const auto& one : options.meters.exec) add("--meter", one);
  for (const auto& one : options.meters.rails) add("--rail", one);
  add("--variant", places.variant);
  if (!options.environments.cache.empty()) add("--cache", fs::absolute(places.cache).string());
  if (!options.environments.data.empty()) add("--data", fs::absolute(places.data).string());
  if (options.as_root) words.emplace_back("--as-root");
  return words;
}

/// The nodes decide which variant of an environment fits, not the login node.
EnvironmentPlaces places_of_nodes(RunOptions& options, const Study& study) {
  auto& variant = options.environments.variant;
  if (variant.empty()) variant = study.slurm.gres.find("gpu") != std::string::npos ? "cuda" : "cpu";
  MeterSearch search;
  search.variables = process_variables();
  return options.environments.places(search);
}

/// Continues in a process of its own, whose output goes to a log; nothing there. In the process
/// that was called: the exit code, once the first jobs are submitted or an error has ended it.
std::optional<int> detach(const fs::path& result, FileDescriptor& report) {
  const fs::path log = ClusterDirectory(result).path() / "controller.log";
  make_directories(log.parent_path());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe: " + error_text(errno));
  FileDescriptor read_end(ends[0]);
  report = FileDescriptor(ends[1]);
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start a process: " + error_text(errno));
  if (child == 0) {
    setsid();
    const FileDescriptor nothing(::open("/dev/null", O_RDONLY));
    const FileDescriptor output = open_own_file(log, O_APPEND);
    dup2(nothing.get(), STDIN_FILENO);
    dup2(output.get(), STDOUT_FILENO);
    dup2(output.get(), STDERR_FILENO);
    return std::nullopt;
  }
  report.close();
  char word = 0;
  const bool is_submitted = ::read(read_end.get(), &word, 1) == 1;
  if (is_submitted)
    std::cerr << fmt::format(
        "The jobs are submitted; process {} looks after them.\n"
        "  prengdl status {} --watch   shows how far they are\n"
        "  the same command without --detach continues in the foreground if that process ends\n",
        child, shell_line({result.string()}));
  else
    std::cerr << fmt::format(
        "prengdl: the background process has ended before jobs were submitted."
        "\n{} says why\n",
        log.string());
  return is_submitted ? 0 : 1;
}

int cancel(const fs::path& result) {
  if (!is_there(ClusterDirectory(result).path()))
    throw UsageError(fmt::format("{} has no jobs", result.string()),
                     "Name the result of the study with -o.");
  Slurm slurm;
  SystemClock clock;
  const std::size_t ended = cancel_jobs(result, slurm, clock);
  std::cerr << (ended > 0 ? counted(ended, "job") + " cancelled" : "no job was left to cancel")
            << "; runs that are done stay in the result\n";
  return 0;
}

}  // namespace

int run_on_slurm(const RunOptions& given, const std::vector<std::string>& words) {
  RunOptions options = given;
  Study study = study_to_run(options);
  set_slurm(options.slurm, study.slurm);
  const fs::path result = result_of(study, options);
  if (options.cancel) return cancel(result);
  const std::string registered = registered_text(study.analysis);
  const Design design(study);
  AskedCells asked(study, design, cell_pattern(study, options.only));
  refuse_weak_design(study, options);
  refuse_early_stopping(study);
  const EnvironmentPlaces places = places_of_nodes(options, study);
  const StudyEnvironments environments(
      study, asked.cells(), places,
      setup_call(options.study, options.preset, options.environments));
  const MachineRecord none;
  const std::vector<RefusedCell> refused;
  StudyStart start{study, design, asked, refused, environments, none};
  start.text = study_text(options.study);
  start.registered = registered;
  start.call = shell_line(words);
  start.due = due_settings(options);
  start.makes_profiles = options.profile;
  start.cells.result = result;
  start.cells.data = places.data;
  ClusterStart cluster{start, study.slurm, node_command(options, study, result, places)};
  if (options.dry_run) {
    std::cout << first_script(cluster);
    return 0;
  }
  FileDescriptor report;
  if (options.detach) {
    if (const auto code = detach(result, report)) return *code;
    cluster.submitted = [&] {
      [[maybe_unused]] const auto sent = ::write(report.get(), "+", 1);
      report.close();
    };
  }
  const FileDescriptor signals = take_signals();
  start.cells.signals = signals.get();
  StudyTeller teller(can_overwrite(STDERR_FILENO));
  if (!options.quiet)
    start.progress = [&](const StudyProgress& progress) { teller.tell(progress); };
  start.trouble = [](const Error& trouble) {
    std::cerr << "prengdl: " << printable(trouble.what()) << "\n";
  };
  Slurm slurm;
  SystemClock clock;
  const StudyOutcome outcome = control_cluster(cluster, slurm, clock);
  teller.clear();
  return tell_ending(outcome, study, asked.cells(), words, result);
}

}  // namespace prengdl
