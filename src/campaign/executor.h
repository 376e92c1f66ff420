// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/study.h"
#include "run/power_now.h"

namespace prengdl {

/// A run that is to be made. Plain data: it can be written down and made by another process.
struct RunRequest {
  enum class Kind { counted, warmup, profile };
  Kind kind = Kind::counted;
  std::string id;
  Cell cell;
  std::size_t block = 0;
  std::size_t place = 0;
  std::size_t attempt = 0;
  std::uint64_t seed = 0;
  std::optional<std::string> repeats;  // the disturbed run
  std::filesystem::path profile;       // of a profile run: where its dump goes
};

/// What an executor is busy with for a run.
enum class Phase { idle_machine, quiet_machine, control_load, run };

/// What an executor reports while it works, from the thread that called it.
struct ExecutorReports {
  /// Several times a second while a run lasts, then with its power if that is known. May be
  /// null.
  std::function<void(const RunRequest&, Phase, const std::optional<Power>&)> doing;
  /// Its record is safe: on disk, or in memory if there is no result. False: make no more of the
  /// list.
  std::function<bool(const StoredRun&)> made;
};

/// How a list of runs ended.
struct Execution {
  bool interrupted = false;            // the user wants to stop
  std::optional<StoredRun> cut_short;  // the run that this cost, which is kept nowhere
};

/// Where runs are made. It does not know policies: which runs are due, and whether one is made
/// again, is decided between two lists by those who call it.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Makes the runs in their order by the study's protocol: the idle machine is measured before the
  /// first run of a block, the machine is brought to rest (or to heat) before each counted one.
  /// Throws an Error when no run can be made or kept; a workload that fails is a record.
  virtual Execution make(const std::vector<RunRequest>& runs, const Protocol& protocol,
                         const ExecutorReports& reports) = 0;

  /// Puts back what was changed of the machine; gives what could not be, in words. Called once,
  /// after the last list.
  virtual std::vector<std::string> finish() = 0;
};

}  // namespace prengdl
