// SPDX-License-Identifier: Apache-2.0
#include "base/run_to_end.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "base/own_files.h"
#include "base/process.h"
#include "base/strings.h"

namespace prengdl {
namespace {

constexpr int tell_every_ms = 200;

/// The last line with something in it; a carriage return ends a line too.
std::string last_line(const std::string& output) {
  const auto end = output.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const auto begin = output.find_last_of("\r\n", end);
  return std::string(trimmed(std::string_view(output).substr(
      begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin))));
}

}  // namespace

ProgramEnd run_to_end(const ProgramCall& call) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error("cannot make a pipe: " + error_text(errno), exhaustion_advice(errno));
  const FileDescriptor output(ends[0]);
  FileDescriptor input(ends[1]);
  fcntl(output.get(), F_SETFL, O_NONBLOCK);
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  FileDescriptor log;
  if (!call.log.empty()) log = open_own_file(call.log, O_APPEND);

  Launch launch;
  launch.argv = call.words;
  launch.environment = call.variables;
  launch.directory = call.directory;
  launch.standard_input = nothing.get();
  launch.standard_output = launch.standard_error = input.get();
  WaitingChild child(launch);
  input.close();
  child.open_gate();

  ProgramEnd end;
  const auto take = [&] {
    char buffer[4096];
    for (;;) {
      const auto got = ::read(output.get(), buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return got == 0;
      end.output.append(buffer, static_cast<std::size_t>(got));
      if (end.output.size() > 2 * call.keeps) end.output.erase(0, end.output.size() - call.keeps);
      if (log) [[maybe_unused]]
        const auto ignored = ::write(log.get(), buffer, static_cast<std::size_t>(got));
    }
  };
  bool is_closed = false;
  for (;;) {
    pollfd watched[2] = {{child.pidfd(), POLLIN, 0}, {output.get(), POLLIN, 0}};
    poll(watched, is_closed ? 1 : 2, tell_every_ms);
    is_closed = take() || is_closed;
    if (call.tell) call.tell(last_line(end.output));
    if (watched[0].revents) break;
  }
  const int status = child.reap().status;
  take();
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace prengdl
