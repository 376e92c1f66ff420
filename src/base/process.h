// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"

namespace prengdl {

/// All that a command needs to start. Descriptors are inherited where they are not set.
struct Launch {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  // added to our own
  std::filesystem::path directory;                               // ours when empty
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  std::vector<int> cpus;        // that it may run on; as we may when empty
  std::optional<int> nice;      // absolute
  bool takes_terminal = false;  // the child's group becomes the terminal's foreground group
  bool as_root = false;         // by the way back that was kept for --as-root
};

/// The file that a shell would run for this command. The Error says where it was looked for.
/// A relative path is taken from `directory`, where the command starts.
Result<std::filesystem::path> find_program(const std::string& name, const std::string& search_path,
                                           const std::filesystem::path& directory = {});

/// Where a launch looks for programs that are named without a directory: its own PATH, else ours.
std::string search_path_of(const Launch& launch);

/// A forked process with everything done but the exec: it waits at a gate, so that counters can be
/// read right before it becomes the workload.
class WaitingChild {
 public:
  /// Throws an Error when the command cannot be found or the process cannot be made.
  explicit WaitingChild(const Launch& launch);
  /// Kills and reaps a child that was never waited for.
  ~WaitingChild();
  WaitingChild(const WaitingChild&) = delete;
  WaitingChild& operator=(const WaitingChild&) = delete;

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }

  /// Hangs up when the exec is done; before that it holds the errno of a failed one.
  int exec_report() const { return exec_report_.get(); }

  /// Lets it exec. Async-signal-safe.
  void open_gate() noexcept;

  /// After pidfd() became readable: the wait status and resources. Throws what exec reported if it
  /// failed.
  struct End {
    int status{};
    rusage usage{};
  };
  End reap();

  /// Signals the whole process group.
  void signal_group(int signal) noexcept;

 private:
  pid_t pid_ = -1;
  std::string program_;
  std::filesystem::path directory_;
  FileDescriptor pidfd_;
  FileDescriptor gate_;
  FileDescriptor exec_report_;
};

/// A program that helps, such as xdg-open: spawned, not forked, and left to its caller to wait for.
struct ProgramStart {
  /// The program, searched for in our PATH unless it is a path, and its arguments.
  std::vector<std::string> words;
  /// Its whole environment as NAME=VALUE; ours if there is none.
  std::optional<std::vector<std::string>> environment{};
  bool is_silent = false;  // all streams are /dev/null, except for those that follow
  int standard_input = -1;
  int standard_output = -1;
  bool has_own_group = false;  // so that Ctrl-C does not reach it
};

/// Starts it with no signal blocked or ignored. The Error names the program.
Result<pid_t> start_program(const ProgramStart& start);

/// Whether a signal waits in this signalfd to be read; never for -1.
bool signal_waits(int signals);

/// Signals that end a run in order (SIGINT, SIGTERM, SIGHUP): from now on they are read from here
/// by its attendant.
FileDescriptor take_signals();

}  // namespace prengdl
