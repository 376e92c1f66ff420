// SPDX-License-Identifier: Apache-2.0
#include "cluster/batch_script.h"

#include <fmt/core.h>

#include <cmath>

#include "base/shell_words.h"
#include "base/strings.h"
#include "cluster/leftovers.h"

namespace prengdl {

std::string slurm_time(Seconds time) {
  const auto seconds = static_cast<long long>(std::ceil(time.count()));
  return fmt::format("{}-{:02}:{:02}:{:02}", seconds / 86400, seconds / 3600 % 24,
                     seconds / 60 % 60, seconds % 60);
}

namespace {

/// A script under construction: options of sbatch, then lines of shell.
class Script {
 public:
  void option(const std::string& words) { text += "#SBATCH " + words + "\n"; }
  void named(const char* name, const std::string& value) {
    if (!value.empty()) option(fmt::format("--{}={}", name, shell_line({value})));
  }

  /// What every job asks for: a whole node, for what others do there would be measured too, and
  /// once, for a measurement that is repeated without a word is worse than one that is missing.
  void node(const SlurmSettings& settings) {
    for (const auto* fixed : {"--nodes=1", "--ntasks=1", "--exclusive", "--mem=0", "--no-requeue"})
      option(fixed);
    named("partition", settings.partition);
    named("account", settings.account);
    named("qos", settings.qos);
    named("constraint", settings.constraint);
    named("gres", settings.gres);
    if (settings.time) named("time", slurm_time(*settings.time));
  }

  /// The user's own options, which come last so that they win, and what is run before prengdl.
  void prologue(const SlurmSettings& settings) {
    for (const auto& words : settings.options) option(words);
    text += "\n";
    for (const auto& module : settings.modules)
      text += "module load " + shell_line({module}) + "\n";
    for (const auto& line : settings.prologue) text += line + "\n";
  }

  std::string text = "#!/bin/bash\n";
};

std::vector<std::string> contained(const std::vector<std::string>& command,
                                   const std::vector<std::filesystem::path>& mounts,
                                   const SlurmSettings& settings) {
  if (settings.container.empty()) return command;
  std::vector<std::string> words{"apptainer", "exec"};
  for (const auto& mount : mounts) words.insert(words.end(), {"--bind", mount.string()});
  words.push_back(settings.container);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace

std::string script_of(const BatchScript& script, const SlurmSettings& settings) {
  Script made;
  made.named("job-name", script.name);
  made.option(fmt::format("--array=0-{}{}", script.jobs - 1,
                          settings.jobs > 0 ? fmt::format("%{}", settings.jobs) : ""));
  made.node(settings);
  made.option(fmt::format("--signal=B:USR1@{}", warning_seconds));
  made.option("--open-mode=append");
  made.named("output", (script.logs / fmt::format("{:04}-%a.log", script.array)).string());
  made.named("exclude", joined(script.excluded_nodes, ","));
  made.prologue(settings);
  auto command = contained(script.command, script.mounts, settings);
  command.insert(command.end(), {"--task", script.task_file.string()});
  made.text +=
      fmt::format("export {}={}\n", task_variable, shell_line({script.task_file.string()}));
  // Signals to the job reach prengdl itself.
  made.text += "exec " + shell_line(command) + "\n";
  return made.text;
}

std::string probe_script(const std::vector<std::string>& command,
                         const std::filesystem::path& answer, const SlurmSettings& settings) {
  Script made;
  made.named("job-name", "prengdl-probe");
  made.node(settings);
  made.named("output", "/dev/null");
  made.prologue(settings);
  const std::string part = shell_line({answer.string() + ".part"});
  made.text += fmt::format("{{ echo \"$SLURMD_NODENAME\"; {}; }} > {} 2>&1\nmv {} {}\n",
                           shell_line(contained(command, {answer.parent_path()}, settings)), part,
                           part, shell_line({answer.string()}));
  return made.text;
}

}  // namespace prengdl
