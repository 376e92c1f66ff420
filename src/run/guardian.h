// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/detached_process.h"

namespace prengdl {

/// Sees to it that a workload does not outlive us: a process of its own, in its own session, waits
/// until we let it go or are gone. Then it ends what the workload left running.
class Guardian {
 public:
  Guardian() { start(); }

  /// Lets it go and waits for its end.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  /// What to end if we are gone: the process group of the workload, and every process whose
  /// environment names this file of events, whatever group it has moved to.
  void watch(pid_t group, const std::filesystem::path& events);
  void watch_nothing();

  /// Not a descendant of the workload.
  pid_t process() const { return process_.pid; }

 private:
  void start();
  void tell(const std::string& line);

  DetachedProcess process_;
};

}  // namespace prengdl
