// SPDX-License-Identifier: Apache-2.0
#include "run/doctor.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <iostream>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/aa.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/study_environments.h"
#include "cli/study_result.h"
#include "meters/gpu_facts.h"
#include "privilege/helper.h"
#include "report/aa_report.h"
#include "report/doctor_report.h"
#include "report/terminal.h"
#include "run/doctor_study.h"
#include "run/fixes.h"
#include "run/machine.h"
#include "run/requirements.h"
#include "run/study_file.h"

namespace prengdl {
namespace {

constexpr Seconds load_sample{1};

void run_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> copy = arguments;
  std::vector<char*> argv;
  argv.reserve(copy.size() + 1);
  for (auto& argument : copy) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid{};
  const int failed = posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ);
  if (failed != 0) throw Error("cannot run " + arguments[0] + ": " + error_text(failed));
  int status = 0;
  waitpid(pid, &status, 0);
  if (status != 0) throw Error("failed: " + shell_line(arguments));
}

/// Who called sudo is the user that this process has become.
Environment sudo_environment(const Environment& environment) {
  if (!root_helper()) return environment;
  return [=](const std::string& name) { return environment(name == "SUDO_USER" ? "USER" : name); };
}

bool ask(const Fix& fix) {
  std::cerr << "\n" << fix.description << "\n";
  for (const auto& line : fix.commands) std::cerr << "    " << line << "\n";
  if (!isatty(STDIN_FILENO)) {
    std::cerr << "not done: there is no terminal to ask on; run the lines above, or give --yes\n";
    return false;
  }
  std::cerr << "do this? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

int doctor_command(const std::vector<std::string>& words) {
  bool json = false;
  bool fix = false;
  bool yes = false;
  std::size_t pairs = 0;
  std::string command, study, preset;
  EnvironmentOptions environments;
  MeterOptions meters;
  Arguments arguments("doctor", "Says whether this machine is fit to measure, and what to do.");
  arguments.optional_word("STUDY", study, "a study file: is this machine fit for it?");
  arguments.text("--preset", preset, "a preset of the study file", "NAME");
  arguments.flag("--json", json, "as JSON");
  arguments.flag("--fix", fix, "put right what can be, after asking");
  arguments.flag("--yes", yes, "with --fix: do not ask");
  arguments.count("--aa", pairs,
                  "run one command under two labels, N times each: what differences this machine "
                  "shows where there are none; kept beside later claims");
  arguments.text("-c,--command", command, "with --aa: the command (default a loop of /bin/sh)",
                 "CMD");
  environments.declare(arguments);
  meters.declare(arguments);
  arguments.footer("Exit: 0 fit, 3 a check failed.");
  if (!arguments.parse(words)) return 0;

  if (fix && meters.root != "/")
    throw UsageError("--fix changes this machine and does not go with --root",
                     "run it where the meters are");
  if (!command.empty() && pairs == 0)
    throw UsageError("-c is for --aa: how often should the command run?", "write --aa 20");
  std::optional<Series> series;
  if (pairs > 0) series = aa_series(pairs, command);

  if (!preset.empty() && study.empty())
    throw UsageError("--preset is of a study: which one?", "write prengdl doctor STUDY --preset P");
  std::optional<Study> wanted;
  if (!study.empty()) wanted = load_study(study, preset, environments_to_name());

  const MeterSearch search = meters.search();
  const FoundMeters found = find_meters(search);
  const Machine machine = read_machine(search.root, search.environment);
  DoctorInput input{.root = search.root, .found = found, .machine = machine};
  SystemClock clock;
  const auto own_cpu = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double own_before = own_cpu();
  input.earlier = read_conditions(search.root);
  const std::int64_t begin = clock.now_ns();
  clock.sleep_until(begin + nanoseconds(load_sample));
  input.later = read_conditions(search.root);
  input.apart = seconds_between(begin, clock.now_ns());
  input.own_cpu_seconds = own_cpu() - own_before;
  input.is_root = geteuid() == 0 || root_helper();
  const auto others = nvml_other_processes(search);
  for (const auto& gpu : nvml_facts(search))
    if (gpu.allocated)
      input.gpus.push_back({gpu.name, gpu.is_persistent, gpu.is_exclusive,
                            others.value_or(std::vector<unsigned>{})});
  for (const auto& gpu : rocm_facts(search))
    if (gpu.allocated) input.gpus.push_back({gpu.name, {}, {}, {}});
  std::error_code ignored;
  const auto space = std::filesystem::space(".", ignored);
  if (!ignored) input.free_bytes = space.available;

  auto checks = diagnose(input);
  if (wanted) {
    const auto cells = cells_of(*wanted);
    const auto more =
        check_study_needs(sites_of(*wanted, cells, environments.places(search)),
                          unmet_requirements(*wanted, cells, machine, gpu_memories(search), "."),
                          setup_call(study, preset, environments));
    checks.insert(checks.end(), more.begin(), more.end());
  }
  const Style style = style_of(STDOUT_FILENO);
  if (!json) show(doctor_text(checks, style));
  const auto aa = series ? std::optional(measure_aa(std::move(*series), search, found))
                         : read_aa(this_machine(search).fingerprint);
  if (json)
    std::cout << doctor_json(checks, found, aa);
  else if (aa)
    show("\n" + aa_text(*aa, style));
  std::cout.flush();
  if (fix) {
    auto fixes = available_fixes(search.root, sudo_environment(search.environment), run_program);
    if (Helper* helper = root_helper())
      for (std::size_t i = 0; i < fixes.size(); ++i) fixes[i].apply = [=] { helper->fix(i); };
    const auto results =
        apply_fixes(checks, fixes, [&](const Fix& one) { return yes || ask(one); });
    for (const auto& result : results)
      std::cerr << (result.is_applied ? "done: " : "left alone: ") << result.id << "\n";
    if (results.empty()) std::cerr << "there is nothing that --fix can put right\n";
  }
  return worst(checks) == Severity::fail ? 3 : 0;
}

}  // namespace prengdl
