// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/caller.h"
#include "base/limits.h"
#include "base/strings.h"

namespace prengdl {
namespace {

/// Everything the child needs between fork and exec, laid out before: it must not allocate there.
struct ExecPlan {
  const char* program = nullptr;
  std::vector<char*> argv;
  std::vector<char*> shell_argv;  // for a script without a first line that names its interpreter
  std::vector<char*> environment;
  const char* directory = nullptr;
  bool as_root;
  cpu_set_t cpus;
  bool has_cpus = false;
  const int* nice = nullptr;
  int input, output, error;
  bool takes_terminal;
  pid_t parent;
  int gate, report;
};

/// The steps of the child that can fail, named for the message.
enum class Step : int { exec, directory, root, redirect, cpus, nice };

[[noreturn]] void give_up(int report, Step step, int reason) {
  const int words[2] = {static_cast<int>(step), reason};
  [[maybe_unused]] const ssize_t ignored = ::write(report, words, sizeof words);
  _exit(127);
}

[[noreturn]] void become_workload(const ExecPlan& plan) {
  setpgid(0, 0);
  if (plan.takes_terminal) tcsetpgrp(STDIN_FILENO, getpid());  // SIGTTOU is still blocked here
  const auto redirect = [&](int from, int to) {
    if (from >= 0 && dup2(from, to) < 0) give_up(plan.report, Step::redirect, errno);
  };
  redirect(plan.input, STDIN_FILENO);
  redirect(plan.output, STDOUT_FILENO);
  redirect(plan.error, STDERR_FILENO);
  if (plan.has_cpus && sched_setaffinity(0, sizeof plan.cpus, &plan.cpus) != 0)
    give_up(plan.report, Step::cpus, errno);
  if (plan.nice && setpriority(PRIO_PROCESS, 0, *plan.nice) != 0)
    give_up(plan.report, Step::nice, errno);
  forbid_high_priority();
  if (plan.as_root && !become_root_again()) give_up(plan.report, Step::root, errno);
  if (plan.directory && chdir(plan.directory) != 0) give_up(plan.report, Step::directory, errno);
  // A workload does not outlive a prengdl that was killed. (Cleared by setuid, hence after it.)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);

  restore_open_files();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTTOU, SIGTTIN, SIGTSTP})
    signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  char token;
  while (::read(plan.gate, &token, 1) < 0 && errno == EINTR) {
  }
  execve(plan.program, plan.argv.data(), plan.environment.data());
  if (errno == ENOEXEC) execve("/bin/sh", plan.shell_argv.data(), plan.environment.data());
  give_up(plan.report, Step::exec, errno);
}

std::vector<std::string> environment_for(const Launch& launch) {
  std::vector<std::pair<std::string, std::string>> set = launch.environment;
  std::vector<std::string> unset;
  if (launch.as_root)
    for (const auto& [name, value] : variables_before()) {
      if (value)
        set.emplace_back(name, *value);
      else
        unset.push_back(name);
    }
  std::vector<std::string> lines;
  for (char** line = environ; *line; ++line) {
    const std::string_view text = *line;
    const auto name = text.substr(0, text.find('='));
    const bool replaced =
        std::any_of(set.begin(), set.end(), [&](const auto& pair) { return pair.first == name; }) ||
        std::find(unset.begin(), unset.end(), name) != unset.end();
    if (!replaced) lines.emplace_back(text);
  }
  for (const auto& [name, value] : set) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A pipe whose writer is not killed when the reader is gone: a child may die before its gate
/// opens.
std::pair<FileDescriptor, FileDescriptor> make_gate() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("cannot make a socket: " + error_text(errno), exhaustion_advice(errno));
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// As access(), except for the effective user: that is root while a program of root's is looked
/// for.
bool may_use(const std::filesystem::path& path, int how) {
  return faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS) == 0;
}

std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error("cannot make a pipe: " + error_text(errno), exhaustion_advice(errno));
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace

Result<std::filesystem::path> find_program(const std::string& name, const std::string& search_path,
                                           const std::filesystem::path& directory) {
  if (name.empty()) return failure("the command is empty", "give a program after --");
  if (name.find('/') != std::string::npos) {
    // Where the directory itself is missing, the child says so.
    const bool is_there = may_use(directory / name, F_OK);
    std::error_code none;
    if (!is_there && (directory.empty() || std::filesystem::is_directory(directory, none)))
      return failure(fmt::format("cannot run {}: {}", name, error_text(ENOENT)),
                     "check the path; it is taken from the directory in which the command starts");
    return std::filesystem::path(name);
  }
  std::optional<std::string> forbidden;
  for (const auto part : split(search_path, ':')) {
    const auto candidate = std::filesystem::path(part.empty() ? "." : part) / name;
    std::error_code none;
    if (may_use(candidate, X_OK) && !std::filesystem::is_directory(candidate, none))
      return candidate;
    if (may_use(candidate, F_OK)) forbidden = candidate.string();
  }
  if (forbidden)
    return failure(fmt::format("cannot run {}: it is not executable", *forbidden),
                   fmt::format("chmod +x {}", *forbidden));
  return failure(fmt::format("cannot run {}: no such program in PATH", name),
                 "check the spelling; shell built-ins and aliases need --shell");
}

std::string search_path_of(const Launch& launch) {
  const char* path = std::getenv("PATH");
  for (const auto& [name, value] : launch.environment)
    if (name == "PATH") path = value.c_str();
  return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

WaitingChild::WaitingChild(const Launch& launch) {
  if (launch.argv.empty()) throw UsageError("there is no command to run");
  auto program = [&] {
    std::optional<ActingAsRoot> root;
    if (launch.as_root) root.emplace();
    return find_program(launch.argv.front(), search_path_of(launch), launch.directory);
  }();
  if (!program) throw Error(program.error());
  program_ = program->string();
  directory_ = launch.directory;

  auto arguments = launch.argv;
  std::vector<std::string> shell_arguments{"sh", program_};
  shell_arguments.insert(shell_arguments.end(), arguments.begin() + 1, arguments.end());
  auto lines = environment_for(launch);
  auto [gate_out, gate_in] = make_gate();
  auto [report_out, report_in] = make_pipe();

  ExecPlan plan;
  plan.program = program_.c_str();
  plan.argv = pointers_to(arguments);
  plan.shell_argv = pointers_to(shell_arguments);
  plan.environment = pointers_to(lines);
  plan.directory = launch.directory.empty() ? nullptr : launch.directory.c_str();
  plan.as_root = launch.as_root;
  CPU_ZERO(&plan.cpus);
  for (const int cpu : launch.cpus) CPU_SET(static_cast<std::size_t>(cpu), &plan.cpus);
  plan.has_cpus = !launch.cpus.empty();
  plan.nice = launch.nice ? &*launch.nice : nullptr;
  plan.input = launch.standard_input;
  plan.output = launch.standard_output;
  plan.error = launch.standard_error;
  plan.takes_terminal = launch.takes_terminal;
  plan.parent = getpid();
  plan.gate = gate_out.get();
  plan.report = report_in.get();

  pid_ = fork();
  if (pid_ < 0)
    throw Error("cannot make a process: " + error_text(errno), exhaustion_advice(errno));
  if (pid_ == 0) {
    ::close(gate_in.get());  // else the child would hold its own gate open
    become_workload(plan);
  }
  setpgid(pid_, pid_);  // also here: whichever comes first, the group is there
  pidfd_ = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  gate_ = std::move(gate_in);
  exec_report_ = std::move(report_out);
  if (!pidfd_) {
    const int reason = errno;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    throw Error(
        "cannot watch the process: pidfd_open: " + error_text(reason),
        is_exhaustion(reason) ? exhaustion_advice(reason) : "prengdl needs Linux 5.3 or newer");
  }
}

WaitingChild::~WaitingChild() {
  if (pid_ < 0) return;
  send_signal(-pid_, SIGKILL);
  send_signal(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void WaitingChild::open_gate() noexcept {
  const char token = 'g';
  [[maybe_unused]] const ssize_t ignored = ::send(gate_.get(), &token, 1, MSG_NOSIGNAL);
}

WaitingChild::End WaitingChild::reap() {
  End end;
  while (wait4(pid_, &end.status, 0, &end.usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  int words[2];
  if (::read(exec_report_.get(), words, sizeof words) == sizeof words) {
    const auto why = error_text(words[1]);
    switch (static_cast<Step>(words[0])) {
      case Step::directory:
        throw Error(
            fmt::format("cannot start in the working directory {}: {}", directory_.string(), why),
            "check --directory");
      case Step::root:
        throw Error("cannot run the command as root: " + why, "leave --as-root out");
      case Step::cpus:
        throw Error("cannot keep the command on the CPUs it was given: " + why,
                    "are they online, and allowed by the cgroup?");
      case Step::nice:
        throw Error("cannot set the command's niceness: " + why, "below 0 it needs root");
      case Step::redirect:
        throw Error("cannot redirect the command's input or output: " + why);
      case Step::exec:
        throw Error(fmt::format("cannot run {}: {}", program_, why),
                    words[1] == EACCES ? "is it executable, and is its interpreter?" : "");
    }
  }
  return end;
}

void WaitingChild::signal_group(int signal) noexcept {
  if (pid_ < 0) return;
  send_signal(-pid_, signal);
  send_signal(pid_, signal);
}

Result<pid_t> start_program(const ProgramStart& start) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (start.is_silent)
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  if (start.standard_input >= 0)
    posix_spawn_file_actions_adddup2(&actions, start.standard_input, STDIN_FILENO);
  if (start.standard_output >= 0)
    posix_spawn_file_actions_adddup2(&actions, start.standard_output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              (start.has_own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  auto words = start.words;
  auto lines = start.environment.value_or(std::vector<std::string>{});
  const auto argv = pointers_to(words);
  const auto variables = pointers_to(lines);
  pid_t pid{};
  const int trouble = posix_spawnp(&pid, words.front().c_str(), &actions, &attributes, argv.data(),
                                   start.environment ? variables.data() : environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (trouble != 0)
    return failure(fmt::format("cannot run {}: {}", words.front(), error_text(trouble)));
  return pid;
}

bool signal_waits(int signals) {
  pollfd watched{signals, POLLIN, 0};
  return signals >= 0 && poll(&watched, 1, 0) > 0;
}

FileDescriptor take_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGTTOU, SIG_IGN);  // taking the terminal back from the command must not stop us
  FileDescriptor signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals)
    throw Error("cannot receive signals: " + error_text(errno), exhaustion_advice(errno));
  return signals;
}

}  // namespace prengdl
