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

std::string script_of(const BatchScript& script, const SlurmSettings& settings) {
  std::string text = "#!/bin/bash\n";
  const auto option = [&](const std::string& words) { text += "#SBATCH " + words + "\n"; };
  const auto named = [&](const char* name, const std::string& value) {
    if (!value.empty()) option(fmt::format("--{}={}", name, shell_line({value})));
  };
  named("job-name", script.name);
  option(fmt::format("--array=0-{}{}", script.jobs - 1,
                     settings.jobs > 0 ? fmt::format("%{}", settings.jobs) : ""));
  // A whole node: what others do there would be measured too.
  for (const auto* fixed : {"--nodes=1", "--ntasks=1", "--exclusive", "--mem=0"}) option(fixed);
  // A measurement that is repeated without a word is worse than one that is missing.
  option("--no-requeue");
  option(fmt::format("--signal=B:USR1@{}", warning_seconds));
  option("--open-mode=append");
  named("output", (script.logs / fmt::format("{:04}-%a.log", script.array)).string());
  named("partition", settings.partition);
  named("account", settings.account);
  named("qos", settings.qos);
  named("constraint", settings.constraint);
  named("gres", settings.gres);
  if (settings.time) named("time", slurm_time(*settings.time));
  named("exclude", joined(script.excluded_nodes, ","));
  for (const auto& words : settings.options) option(words);
  text += "\n";
  for (const auto& module : settings.modules) text += "module load " + shell_line({module}) + "\n";
  for (const auto& line : settings.prologue) text += line + "\n";
  std::vector<std::string> command;
  if (!settings.container.empty()) {
    command = {"apptainer", "exec"};
    for (const auto& mount : script.mounts)
      command.insert(command.end(), {"--bind", mount.string()});
    command.push_back(settings.container);
  }
  command.insert(command.end(), script.command.begin(), script.command.end());
  command.insert(command.end(), {"--task", script.task_file.string()});
  text += fmt::format("export {}={}\n", task_variable, shell_line({script.task_file.string()}));
  // Signals to the job reach prengdl itself.
  text += "exec " + shell_line(command) + "\n";
  return text;
}

}  // namespace prengdl
