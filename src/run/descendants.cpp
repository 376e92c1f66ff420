// SPDX-License-Identifier: Apache-2.0
#include "run/descendants.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <map>

#include "base/caller.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

/// Reaps what has ended and says whether any child but the spared ones is left.
bool any_child_left(const std::vector<pid_t>& spare) {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;  // no child at all
    if (info.si_pid == 0) break;
    const bool is_spared = std::find(spare.begin(), spare.end(), info.si_pid) != spare.end();
    if (is_spared) break;  // its owner reaps it
    waitpid(info.si_pid, nullptr, WNOHANG);
  }
  if (spare.empty()) return true;
  // Some children live, maybe only the spared ones.
  const auto own = std::to_string(getpid());
  const auto list = read_optional("/proc/self/task/" + own + "/children");
  if (!list) return true;
  const auto children = words(*list);
  return std::any_of(children.begin(), children.end(), [&](std::string_view pid) {
    return std::find(spare.begin(), spare.end(), parse_integer(pid).value_or(0)) == spare.end();
  });
}

struct ProcessLine {
  pid_t parent{};
  std::string name;
  char state{};
};

std::map<pid_t, ProcessLine> all_processes() {
  std::map<pid_t, ProcessLine> processes;
  for (const auto& entry : list_directory("/proc")) {
    const auto pid = parse_integer(entry);
    if (!pid) continue;
    const auto line = read_optional("/proc/" + entry + "/stat");
    if (!line) continue;
    const auto open = line->find('(');
    const auto close = line->rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;
    const auto fields = words(std::string_view(*line).substr(close + 1));
    if (fields.size() < 2) continue;
    processes[static_cast<pid_t>(*pid)] = {static_cast<pid_t>(parse_integer(fields[1]).value_or(0)),
                                           line->substr(open + 1, close - open - 1),
                                           fields[0].front()};
  }
  return processes;
}

/// Everything below us but the spared subtrees and what is dead already.
std::vector<LeftBehind> descendants(const std::vector<pid_t>& spare) {
  const auto processes = all_processes();
  std::vector<LeftBehind> found;
  for (const auto& [pid, line] : processes) {
    if (line.state == 'Z' || line.state == 'X') continue;
    for (pid_t at = pid; at > 1;) {
      if (std::find(spare.begin(), spare.end(), at) != spare.end()) break;
      const auto process = processes.find(at);
      if (process == processes.end()) break;
      if (process->second.parent == getpid()) {
        found.push_back({pid, line.name});
        break;
      }
      at = process->second.parent;
    }
  }
  return found;
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<LeftBehind> end_descendants(const std::vector<pid_t>& spare, Seconds grace) {
  if (!any_child_left(spare)) return {};
  auto found = descendants(spare);
  for (const auto& process : found) send_signal(process.pid, SIGTERM);

  const std::int64_t deadline = monotonic_ns() + nanoseconds(grace);
  SystemClock clock;
  while (any_child_left(spare)) {
    clock.sleep_until(monotonic_ns() + 2'000'000);
    if (monotonic_ns() < deadline) continue;
    // New ones may have been forked meanwhile: look again each time.
    for (const auto& process : descendants(spare)) send_signal(process.pid, SIGKILL);
    if (monotonic_ns() > deadline + nanoseconds(Seconds{10})) break;  // stuck in the kernel
  }
  return found;
}

}  // namespace prengdl
