// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "run/control.h"

namespace prengdl {

/// Brings the machine to what a study wants and sees to it that it comes back, whatever happens to
/// us: a process of its own, in its own session, waits until we let it go or are gone. Then it ends
/// what the workload left running, undoes the settings and removes the file that tells the way
/// back. That file serves the next start if even the guardian was killed.
class Guardian {
 public:
  /// Throws the Error of apply(); then nothing has changed. First undoes what an earlier start left
  /// in `state_file`.
  Guardian(std::vector<Setting> settings, std::filesystem::path state_file);

  /// Lets it go and waits until the machine is as it was.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  /// What to end if we are gone: the process group of the workload, and every process whose
  /// environment names this file of events, whatever group it has moved to.
  void watch(pid_t group, const std::filesystem::path& events);
  void watch_nothing();

  /// Not a descendant of the workload.
  pid_t process() const { return pid_; }

  /// What of an earlier, killed start was undone first.
  const std::vector<std::string>& recovered() const { return recovered_; }

 private:
  void start();
  void tell(const std::string& line);

  std::vector<Setting> settings_;
  std::filesystem::path state_file_;
  FileDescriptor link_;
  pid_t pid_ = -1;
  std::vector<std::string> recovered_;
};

}  // namespace prengdl
