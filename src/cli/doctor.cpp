// SPDX-License-Identifier: Apache-2.0
#include "machine/doctor.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "base/clock.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "campaign/aa_runs.h"
#include "campaign/doctor_study.h"
#include "campaign/requirements.h"
#include "campaign/study_environments.h"
#include "cli/arguments.h"
#include "cli/command_words.h"
#include "cli/commands.h"
#include "cli/environment_options.h"
#include "cli/meter_options.h"
#include "cluster/cluster_checks.h"
#include "machine/fixes.h"
#include "machine/machine.h"
#include "machine/this_machine.h"
#include "meters/gpu_facts.h"
#include "print/checks.h"
#include "print/progress.h"
#include "privilege/helper.h"
#include "store/aa_file.h"
#include "store/result.h"
#include "study/study_file.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

constexpr Seconds probe_patience{300};

void run_program(const std::vector<std::string>& arguments) {
  const auto started = start_program({.words = arguments});
  if (!started) throw Error(started.error());
  int status = 0;
  waitpid(*started, &status, 0);
  if (status != 0) throw Error("failed: " + shell_line(arguments));
}

/// Who called sudo is the user that this process has become.
Variables sudo_variables(const Variables& variables) {
  if (!root_helper()) return variables;
  return [=](const std::string& name) { return variables(name == "SUDO_USER" ? "USER" : name); };
}

bool ask(const Fix& fix) {
  std::cerr << "\n" << fix.description << "\n";
  for (const auto& line : fix.commands) std::cerr << "    " << line << "\n";
  if (!isatty(STDIN_FILENO)) {
    std::cerr << "nothing was changed: there is no terminal to ask on. Run the lines above, or add "
                 "--yes\n";
    return false;
  }
  std::cerr << "do this? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

/// An A/A says nothing of runs that were made elsewhere.
ResultStore result_of_this_machine(const std::string& directory, const std::string& fingerprint) {
  ResultStore store = ResultStore::open(directory, Access::read_write);
  for (const auto& machine : store.machines())
    if (machine.fingerprint == fingerprint) return store;
  throw Error(
      fmt::format("no run in {} was made on this machine", directory),
      "run doctor --aa --into on the machine that made the runs, before results are merged");
}

/// Measures what differences this machine shows by chance, and keeps it for `doctor` and
/// `plan`.
AaRecord make_aa(const CommandPlan& plan, const std::string& fingerprint, const MeterSearch& search,
                 const FoundMeters& found) {
  refuse_incomplete(found);
  MeasureSettings settings;
  settings.cells.root = search.root;
  settings.cells.output.emplace().to = OutputChoice::To::hidden;
  settings.cells.gpu_processes = gpu_watch(search, found);
  const FileDescriptor signals = take_signals();
  settings.cells.signals = signals.get();
  StudyTeller teller(can_overwrite(STDERR_FILENO), false);
  settings.progress = by_command(teller, plan);
  SystemClock clock;
  AaRecord record = measure_aa(plan, settings, fingerprint, found.meters, clock);
  teller.clear();
  write_aa(aa_directory(), record);
  return record;
}

struct DoctorOptions {
  bool json = false, fix = false, yes = false;
  std::size_t pairs = 0;
  std::string command, into, study, preset, on;
  std::vector<std::string> slurm;
  EnvironmentOptions environments;
  MeterOptions meters;

  void declare(Arguments& arguments) {
    arguments.optional_word("STUDY", study, "a study file: is this machine fit for it?");
    arguments.text("--preset", preset, "a preset of the study file", "NAME");
    arguments.flag("--json", json, "as JSON");
    arguments.flag("--fix", fix, "fix what can be fixed, after asking");
    arguments.flag("--yes", yes, "with --fix: do not ask");
    arguments.count("--aa", pairs,
                    "run one command under two labels, N times each, to see what differences this "
                    "machine shows by chance");
    arguments.text("--into", into, "with --aa: store the outcome in this result", "RESULT");
    arguments.text("-c,--command", command, "with --aa: the command (default a loop of /bin/sh)",
                   "CMD");
    arguments.text("--on", on, "check a cluster from its login node: slurm", "WHERE");
    arguments.texts("--slurm", slurm, "with --on slurm: a value of [slurm] for the probe job",
                    "KEY=VALUE");
    environments.declare(arguments);
    meters.declare(arguments);
    arguments.footer("Exit: 0 fit, 3 a check failed.");
  }

  void check() const {
    if (fix && meters.root != "/")
      throw UsageError("--fix changes this machine, so it cannot be combined with --root",
                       "run it on the machine that has the meters");
    if (!command.empty() && pairs == 0)
      throw UsageError("-c is for --aa: how often should the command run?", "write --aa 20");
    if (!into.empty() && pairs == 0)
      throw UsageError("--into is for --aa: how often should the command run?", "write --aa 20");
    if (!on.empty() && on != "slurm")
      throw UsageError(fmt::format("--on {} is not slurm", on),
                       "Leave it out to check this machine.");
    if (!slurm.empty() && on.empty())
      throw UsageError("--slurm is for a cluster", "Add --on slurm.");
    if (!preset.empty() && study.empty())
      throw UsageError("--preset is of a study: which one?",
                       "write prengdl doctor STUDY --preset P");
  }
};

/// Whether the machine has what a study asks for.
std::vector<Check> check_study(const Study& study, const DoctorOptions& options,
                               const MeterSearch& search, const Machine& machine) {
  const auto cells = cells_of(study);
  return check_study_needs(sites_of(study, cells, options.environments.places(search)),
                           unmet_requirements(study, cells, machine, gpu_memories(search), "."),
                           setup_call(options.study, options.preset, options.environments));
}

/// Whether studies can run on this cluster, and what a node of it says.
int check_slurm(const DoctorOptions& options, const std::optional<Study>& study) {
  SlurmSettings settings = study ? study->slurm : SlurmSettings{};
  set_slurm(options.slurm, settings);
  const auto directory = std::filesystem::current_path();
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  auto checks = check_cluster(settings, directory, program);
  if (worst(checks) != Severity::fail) {
    SystemClock clock;
    for (auto& check :
         probe_node(settings, directory,
                    {settings.container.empty() ? program.string() : "prengdl", "doctor", "--json"},
                    probe_patience, clock))
      checks.push_back(std::move(check));
  }
  if (options.json)
    std::cout << doctor_json(checks);
  else
    show(doctor_text(checks, style_of(STDOUT_FILENO)));
  return worst(checks) == Severity::fail ? 3 : 0;
}

/// Asks before each fix unless `yes`.
void put_right(const std::vector<Check>& checks, const MeterSearch& search, bool yes) {
  auto fixes = available_fixes(search.root, sudo_variables(search.variables), run_program);
  if (Helper* helper = root_helper())
    for (std::size_t i = 0; i < fixes.size(); ++i) fixes[i].apply = [=] { helper->fix(i); };
  const auto results = apply_fixes(checks, fixes, [&](const Fix& one) { return yes || ask(one); });
  for (const auto& result : results)
    std::cerr << (result.is_applied ? "done: " : "left alone: ") << result.id << "\n";
  if (results.empty()) std::cerr << "there is nothing that --fix can fix\n";
}

}  // namespace

int doctor_command(const std::vector<std::string>& words) {
  DoctorOptions options;
  Arguments arguments("doctor",
                      "Checks whether this machine is fit to measure, and suggests what to do.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  options.check();
  std::optional<CommandPlan> aa_commands;
  if (options.pairs > 0)
    aa_commands =
        aa_plan(options.pairs, options.command.empty() ? std::vector<std::string>{}
                                                       : words_of_command(options.command, false));
  std::optional<Study> study;
  if (!options.study.empty())
    study = load_study(options.study, options.preset, environments_to_name());

  if (!options.on.empty()) return check_slurm(options, study);
  const MeterSearch search = options.meters.search();
  const FoundMeters found = find_meters(search);
  const Machine machine = read_machine(search.root, search.variables);
  SystemClock clock;
  auto checks = diagnose(look_around(search, found, machine, clock));
  if (study) {
    const auto more = check_study(*study, options, search, machine);
    checks.insert(checks.end(), more.begin(), more.end());
  }
  const Style style = style_of(STDOUT_FILENO);
  if (!options.json) show(doctor_text(checks, style));
  const std::string fingerprint = this_machine(search).fingerprint;
  std::optional<ResultStore> into;
  if (!options.into.empty()) into = result_of_this_machine(options.into, fingerprint);
  const auto aa = aa_commands ? std::optional(make_aa(*aa_commands, fingerprint, search, found))
                              : read_aa(fingerprint);
  if (into) into->add_aa(*aa);
  if (options.json)
    std::cout << doctor_json(checks, found, machine.cpu, aa);
  else if (aa)
    show("\n" + aa_text(*aa, style));
  std::cout.flush();
  if (options.fix) put_right(checks, search, options.yes);
  return worst(checks) == Severity::fail ? 3 : 0;
}

}  // namespace prengdl
