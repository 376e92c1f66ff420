// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>

#include "base/limits.h"

namespace prengdl {

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
