// SPDX-License-Identifier: Apache-2.0
#include "run/guardian.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/limits.h"
#include "base/text.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Written aside, synced and renamed: half a way back would be none.
void write_durably(const fs::path& file, const std::string& text) {
  const fs::path part = file.string() + ".part";
  {
    write_text(part, text);
    const FileDescriptor written(::open(part.c_str(), O_RDONLY | O_CLOEXEC));
    if (!written || fsync(written.get()) != 0)
      throw Error(fmt::format("cannot sync {}: {}", part.string(), error_text(errno)));
  }
  std::error_code trouble;
  fs::rename(part, file, trouble);
  if (trouble) throw Error(fmt::format("cannot write {}: {}", file.string(), trouble.message()));
}

/// Processes that carry the file of events of a run in their environment.
void end_marked(const std::string& events) {
  const std::string mark = "PRENGDL_EVENTS=" + events;
  for (const auto& name : list_directory("/proc")) {
    const auto pid = parse_integer(name);
    if (!pid || *pid == getpid()) continue;
    const auto environment = read_optional("/proc/" + name + "/environ");
    if (!environment) continue;
    for (const auto line : split(*environment, '\0'))
      if (line == mark) kill(static_cast<pid_t>(*pid), SIGKILL);
  }
}

/// All that the guardian keeps of what it is told.
struct Watched {
  pid_t group = -1;
  std::string events;

  void take(const std::string& line) {
    const auto fields = split(line, '\t');
    group = static_cast<pid_t>(parse_integer(fields[0]).value_or(-1));
    events = fields.size() > 1 ? std::string(fields[1]) : "";
  }

  void end() const {
    if (group > 1) kill(-group, SIGKILL);
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

/// Holds nothing of ours: not the lock of the result, not the terminal, not an output that someone
/// waits for the end of.
void leave_everything(int link) {
  setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_IGN);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  const int kept = dup2(link, 3);
  syscall(SYS_close_range, static_cast<unsigned>(kept) + 1, ~0U, 0);
  [[maybe_unused]] const int ignored = chdir("/");
}

}  // namespace

Guardian::Guardian(std::vector<Setting> settings, fs::path state_file)
    : settings_(std::move(settings)), state_file_(std::move(state_file)) {
  if (const auto left = read_optional(state_file_)) {
    const auto earlier = read_way_back(*left);
    if (!earlier)
      throw Error(fmt::format("{}: {}", state_file_.string(), earlier.error().what()),
                  "it tells how the machine was before a study that was killed: set it by hand and "
                  "remove the file");
    const auto troubles = undo(*earlier);
    if (!troubles.empty()) throw Error("cannot undo what a killed study had set: " + troubles[0]);
    for (const auto& setting : *earlier)
      recovered_.push_back(setting.file.empty() ? shell_line(setting.undo)
                                                : setting.file.string() + ": " + setting.before);
    ::unlink(state_file_.c_str());
  }
  // First the way back, then the guardian, then the change: killed in between, nothing is lost.
  if (!settings_.empty()) write_durably(state_file_, way_back(settings_));
  start();
  try {
    apply(settings_);
  } catch (...) {
    settings_.clear();
    link_.close();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw;
  }
}

void Guardian::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("cannot make a socket: " + error_text(errno), exhaustion_advice(errno));
  FileDescriptor reader(ends[0]);
  link_ = FileDescriptor(ends[1]);
  // A signal to the whole group must not meet it before it ignores them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  pid_ = fork();
  if (pid_ != 0) sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0)
    throw Error("cannot make a process: " + error_text(errno), exhaustion_advice(errno));
  if (pid_ > 0) return;
  leave_everything(reader.get());
  sigprocmask(SIG_SETMASK, &before, nullptr);
  const Watched watched = listen(3);
  watched.end();
  undo(settings_);
  // What was started while we looked at /proc is seen the second time.
  watched.end();
  ::unlink(state_file_.c_str());
  _exit(0);
}

Guardian::~Guardian() {
  link_.close();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guardian::tell(const std::string& line) {
  const std::string text = line + "\n";
  // Someone may have killed it: then the next one takes over.
  if (kill(pid_, 0) != 0 || waitpid(pid_, nullptr, WNOHANG) == pid_) start();
  [[maybe_unused]] const ssize_t ignored =
      ::send(link_.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

void Guardian::watch(pid_t group, const fs::path& events) {
  tell(fmt::format("{}\t{}", group, events.string()));
}

void Guardian::watch_nothing() { tell("-1\t"); }

}  // namespace prengdl
