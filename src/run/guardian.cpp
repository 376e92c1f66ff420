// SPDX-License-Identifier: Apache-2.0
#include "run/guardian.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/caller.h"
#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Processes that carry the file of events of a run in their environment.
void end_marked(const std::string& events) {
  const std::string mark = "PRENGDL_EVENTS=" + events;
  for (const auto& name : list_directory("/proc")) {
    const auto pid = parse_integer(name);
    if (!pid || *pid == getpid()) continue;
    const auto environment = [&] {
      const ActingAsRoot root;
      return read_optional("/proc/" + name + "/environ");
    }();
    if (!environment) continue;
    for (const auto line : split(*environment, '\0'))
      if (line == mark) send_signal(static_cast<pid_t>(*pid), SIGKILL);
  }
}

/// All that the guardian keeps of what it receives.
struct Watched {
  pid_t group = -1;
  std::string events;

  void take(const std::string& line) {
    const auto fields = split(line, '\t');
    group = static_cast<pid_t>(parse_integer(fields[0]).value_or(-1));
    events = fields.size() > 1 ? std::string(fields[1]) : "";
  }

  void end() const {
    if (group > 1) send_signal(-group, SIGKILL);
    if (events.empty()) return;
    end_marked(events);
    ::unlink(events.c_str());
  }
};

/// Returns when the other end is closed, by whatever.
Watched listen(int link) {
  Watched watched;
  std::string text;
  char buffer[512];
  for (;;) {
    const ssize_t got = ::read(link, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return watched;
    text.append(buffer, static_cast<std::size_t>(got));
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      watched.take(text.substr(0, end));
      text.erase(0, end + 1);
    }
  }
}

}  // namespace

void Guardian::start() {
  process_ = start_detached(SOCK_STREAM, [](int link) {
    const Watched watched = listen(link);
    watched.end();
    // What was started while we looked at /proc is seen the second time.
    watched.end();
  });
}

Guardian::~Guardian() {
  process_.link.close();
  while (waitpid(process_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guardian::tell(const std::string& line) {
  const std::string text = line + "\n";
  // Someone may have killed it: then the next one takes over.
  if (kill(process_.pid, 0) != 0 || waitpid(process_.pid, nullptr, WNOHANG) == process_.pid)
    start();
  [[maybe_unused]] const ssize_t ignored =
      ::send(process_.link.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

void Guardian::watch(pid_t group, const fs::path& events) {
  tell(fmt::format("{}\t{}", group, events.string()));
}

void Guardian::watch_nothing() { tell("-1\t"); }

}  // namespace prengdl
