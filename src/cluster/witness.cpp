// SPDX-License-Identifier: Apache-2.0
#include "cluster/witness.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/process.h"

namespace prengdl {
namespace {

constexpr int longest_start_ms = 10'000;
constexpr int longest_end_ms = 10'000;

}  // namespace

WitnessStep::WitnessStep(const std::string& run) {
  int input[2], output[2];
  if (pipe2(input, O_CLOEXEC) != 0) return;
  const FileDescriptor read_end(input[0]);
  end_ = FileDescriptor(input[1]);
  if (pipe2(output, O_CLOEXEC) != 0) return;
  const FileDescriptor said(output[0]);
  FileDescriptor saying(output[1]);
  ProgramStart start;
  // It says that it has begun, then waits for the end of its input.
  start.words = {"srun",
                 "--overlap",
                 "--ntasks=1",
                 "--mem=0",
                 "--job-name=" + run,
                 "sh",
                 "-c",
                 "echo; exec cat > /dev/null"};
  start.is_silent = true;
  start.standard_input = read_end.get();
  start.standard_output = saying.get();
  start.has_own_group = true;
  const auto started = start_program(start);
  saying.close();
  if (!started) return;
  pid_ = *started;
  pollfd begun{said.get(), POLLIN, 0};
  poll(&begun, 1, longest_start_ms);
}

WitnessStep::~WitnessStep() {
  end_.close();
  if (pid_ < 0) return;
  for (int waited = 0; waited < longest_end_ms; waited += 10) {
    const pid_t ended = waitpid(pid_, nullptr, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) return;
    usleep(10'000);
  }
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace prengdl
