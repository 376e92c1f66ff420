// SPDX-License-Identifier: Apache-2.0
#include "base/detached_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/error.h"
#include "base/parse.h"

namespace prengdl {
namespace {

constexpr int kept_link = 3;

void close_above(int last) {
  if (syscall(SYS_close_range, static_cast<unsigned>(last) + 1, ~0U, 0) == 0) return;
  for (const auto& name : list_directory("/proc/self/fd"))  // before Linux 5.9
    if (const auto number = parse_integer(name); number && *number > last)
      ::close(static_cast<int>(*number));
}

/// Not the lock of the result, not the terminal, not an output that someone waits for the end of.
void leave_everything(int link) {
  setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_IGN);
  if (link != kept_link) dup3(link, kept_link, O_CLOEXEC);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  close_above(kept_link);
  if (chdir("/") != 0) _exit(1);
}

}  // namespace

DetachedProcess start_detached(int type, const std::function<void(int link)>& body) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("cannot make a socket: " + error_text(errno));
  const FileDescriptor theirs(ends[0]);
  DetachedProcess process;
  process.link = FileDescriptor(ends[1]);
  // A signal to the whole group must not meet it before it ignores them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  process.pid = fork();
  const int reason = errno;
  if (process.pid != 0) sigprocmask(SIG_SETMASK, &before, nullptr);
  if (process.pid < 0)
    throw Error("cannot make a process: " + error_text(reason), "close other programs");
  if (process.pid > 0) return process;
  leave_everything(theirs.get());
  sigprocmask(SIG_SETMASK, &before, nullptr);
  try {
    body(kept_link);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace prengdl
