// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/process.h"
#include "base/units.h"
#include "model/run.h"
#include "run/attempt_settings.h"

namespace prengdl {

/// Between asking a process to end and ending it.
inline constexpr Seconds grace_period{2};

/// What is done about signals and the time limit while the workload runs.
class Attendant {
 public:
  Attendant(const AttemptSettings& settings, WaitingChild& child, Run& run, std::int64_t start_ns)
      : settings_(settings), child_(child), run_(run), start_ns_(start_ns) {}

  /// Until `done` is readable. `meanwhile` is called a few times a second.
  void attend(int done, const std::function<void(Seconds)>& meanwhile);

 private:
  std::int64_t next_deadline() const;
  void take_signal();
  void check_time();
  bool has_exited();
  void wake_if_stopped();

  const AttemptSettings& settings_;
  WaitingChild& child_;
  Run& run_;
  std::int64_t start_ns_;
  std::optional<std::int64_t> kill_at_ns_;
  bool is_over_ = false;
};

}  // namespace prengdl
