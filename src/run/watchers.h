// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/units.h"

namespace prengdl {

// Who shows a result while it is being made (`prengdl serve`) costs CPU time on the machine that is
// measured. Each leaves a file RESULT/watchers/PID, and the process that makes the runs asks the
// kernel what that process used meanwhile. Watchers on other machines cost this one nothing.

/// Left by a watcher for as long as it lives.
class WatcherNote {
 public:
  /// Throws an Error when the result cannot be written to.
  explicit WatcherNote(const std::filesystem::path& result);
  ~WatcherNote();
  WatcherNote(const WatcherNote&) = delete;
  WatcherNote& operator=(const WatcherNote&) = delete;

 private:
  std::filesystem::path result_;
  std::filesystem::path file_;
};

/// The watchers of a result while a run lasts.
class Watchers {
 public:
  /// From here on.
  explicit Watchers(const std::filesystem::path& result);

  /// The CPU seconds of all of them since; nothing if there was none. Removes what the dead left.
  std::optional<Seconds> cpu_time() const;

 private:
  std::filesystem::path directory_;
  std::map<std::string, Seconds> before_;
};

/// The CPU time of a process so far; nothing if it is not there.
std::optional<Seconds> cpu_time_of(pid_t process);

/// Where `run` records how far it is while it runs.
std::filesystem::path live_file(const std::filesystem::path& result);

}  // namespace prengdl
