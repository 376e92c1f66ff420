// SPDX-License-Identifier: Apache-2.0
#include "cluster/leftovers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <thread>

#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr int most_waits = 100;
constexpr std::chrono::milliseconds wait_step{100};

std::map<std::string, std::string, std::less<>> variables_of(const fs::path& process) {
  std::map<std::string, std::string, std::less<>> found;
  const auto text = read_optional(process / "environ");
  if (!text) return found;  // another user's, or gone
  for (const auto entry : split(*text, '\0'))
    if (const auto equals = entry.find('='); equals != std::string_view::npos)
      found.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  return found;
}

bool is_running(pid_t pid) { return ::kill(pid, 0) == 0; }

}  // namespace

std::vector<OtherTask> other_tasks(const fs::path& root, const std::string& node,
                                   const std::string& job, const std::string& configuration) {
  std::vector<OtherTask> found;
  for (const auto& name : list_directory(root / "proc")) {
    const auto pid = parse_integer(name);
    if (!pid || *pid <= 1 || *pid == getpid()) continue;
    const auto variables = variables_of(root / "proc" / name);
    const auto value = [&](const char* variable) {
      const auto at = variables.find(variable);
      return at == variables.end() ? std::string() : at->second;
    };
    const std::string file = value(task_variable);
    if (file.empty() || value("SLURMD_NODENAME") != node || value("SLURM_JOB_ID") == job ||
        value("SLURM_CONF") != configuration)
      continue;
    found.push_back(
        {static_cast<pid_t>(*pid), value("SLURM_JOB_ID"), file, value("SLURM_ARRAY_TASK_ID")});
  }
  return found;
}

void end_processes(const std::vector<OtherTask>& tasks) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    for (const auto& task : tasks)
      if (is_running(task.pid)) ::kill(task.pid, signal);
    for (int i = 0; i < most_waits; ++i) {
      bool is_any = false;
      for (const auto& task : tasks) is_any = is_any || is_running(task.pid);
      if (!is_any) return;
      std::this_thread::sleep_for(wait_step);
    }
  }
}

}  // namespace prengdl
