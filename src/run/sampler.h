// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/chores.h"
#include "base/process.h"
#include "base/units.h"
#include "meters/meter.h"
#include "run/exit_stamp.h"
#include "run/sample_ring.h"

namespace prengdl {

/// A meter with its place in the run's list of meters.
struct Sampled {
  Meter* meter = nullptr;
  std::uint16_t index = 0;
  bool is_in_total = true;  // else the next run does not wait long for its last readings
};

/// What a sampling thread noticed about itself.
struct LaneRecord {
  std::uint64_t ticks = 0;
  std::uint64_t late = 0;    // came more than half an interval after their deadline
  std::uint64_t missed = 0;  // deadlines that passed without a tick
  std::int64_t longest_gap_ns = 0;
};

/// When things happened in a run, on CLOCK_MONOTONIC.
struct RunTimes {
  std::int64_t gate_ns = 0;  // right before the exec was let go
  std::int64_t exec_ns = 0;  // the exec is done, as the pipe that it closes shows
  std::int64_t exit_ns = 0;  // it began to exit (the kernel's stamp), or was seen to have
  std::int64_t seen_ns = 0;  // its exit was seen

  // Where the sampler itself was held up over the exit: stopped, or by a read that hung.
  std::int64_t alive_ns = 0;  // the last time that the process was seen before its exit
  std::int64_t read_ns = 0;   // the counters have been read after it
  std::int64_t stall_ns = 0;  // of the time in between, that the sampler did not wait for the exit
};

/// Whether the exit may have been seen so late that the end of the window is in doubt.
constexpr bool is_in_doubt(const RunTimes& times) { return times.stall_ns > 5'000'000; }

/// The meters that are read at every tick, and the process that they are read around: reads the
/// counters, opens the gate, ticks on absolute deadlines until the process exits, reads again.
/// The three parts may run on different threads, one after the other. Ask for the figures
/// when they have ended.
class QuickLane {
 public:
  /// `chores` are done while the counters are waited for; may be null.
  QuickLane(const std::vector<Sampled>& meters, Seconds interval, WaitingChild& child,
            Chores* chores = nullptr);

  /// Reads the counters at a step of theirs and opens the gate.
  void begin() noexcept;

  /// Ticks until the process exits, at most until `until_ns`; whether it has exited.
  bool tick_until(std::int64_t until_ns) noexcept;

  /// After the exit: the last readings.
  void finish() noexcept;

  /// All three parts.
  void run() noexcept {
    begin();
    tick_until(INT64_MAX);
    finish();
  }

  SampleRing& ring() { return ring_; }
  const LaneRecord& record() const { return record_; }
  const RunTimes& times() const { return times_; }

  /// Both ends of the run lie at a step of these counters (see docs/explanation/measuring.md).
  bool edges_resolved() const { return edges_resolved_; }

 private:
  struct Slot {
    Sampled sampled;
    std::uint32_t stride = 1;  // read at each stride-th tick
    bool steps = false;        // a counter that changes about once a millisecond, and is waited for
    bool stepped = false;      // and has been seen to do so
    Reading last;
  };
  void keep(const Slot& slot, const Reading& reading) noexcept;
  void read_stepping() noexcept;
  void keep_stepping() noexcept;
  void read_others() noexcept;
  void wait_for_steps(bool at_exit) noexcept;
  void note_step(Slot& slot, const Reading& now, bool at_exit) noexcept;
  void read_early() noexcept;
  void watch_exit(std::int64_t now) noexcept;
  void note_exit(std::int64_t waiting_ns, std::int64_t woken_ns, std::int64_t due_ns) noexcept;
  void tick(std::int64_t now) noexcept;

  std::vector<Slot> slots_;
  std::int64_t interval_ns_;
  WaitingChild& child_;
  Chores* chores_;
  ExitStamp exit_stamp_;
  SampleRing ring_;
  LaneRecord record_;
  RunTimes times_;
  bool edges_resolved_ = true;

  // Where the ticking stands.
  std::uint64_t tick_ = 1;
  std::int64_t deadline_ns_ = INT64_MAX;
  std::int64_t early_due_ns_ = INT64_MAX;
  std::int64_t stamp_due_ns_ = INT64_MAX;
  std::int64_t last_tick_ns_ = 0;
  std::int64_t looked_ns_ = 0;  // when the process was last seen alive
  std::int64_t published_ns_ = 0;
  bool exec_pending_ = true;
};

/// Meters that are slow to read, and channels: each at its own rate, on a thread of its own, so
/// that none of them can delay the quick ones. Continues after the exit for as long as a gauge
/// averages.
class PatientLane {
 public:
  /// `stop` becomes readable when the process has exited: its pidfd.
  PatientLane(const std::vector<Sampled>& meters, Seconds interval, int stop);

  /// Whether reading may take long: then first() must not delay the start of a run for long.
  bool may_block() const;

  /// A reading of each, before the run.
  void first() noexcept;

  /// Until the run has ended and averages have settled, with the readings at the end.
  void follow() noexcept;

  /// A reading of each, at the end of a run that nobody followed.
  void last() noexcept;

  /// When the readings at the end began.
  std::int64_t last_ns() const { return last_ns_; }

  void run() noexcept {
    first();
    follow();
  }
  SampleRing& ring() { return ring_; }
  const LaneRecord& record() const { return record_; }

  /// From another thread: end now instead of waiting for averages to settle.
  void hurry() noexcept { hurry_.store(true, std::memory_order_relaxed); }

 private:
  struct Slot {
    Sampled sampled;
    std::int64_t period_ns;
    std::int64_t due_ns = 0;
  };
  void read(Slot& slot) noexcept;

  std::vector<Slot> slots_;
  std::int64_t trailing_ns_ = 0;
  std::int64_t last_ns_ = 0;
  int stop_;
  SampleRing ring_;
  LaneRecord record_;
  std::atomic<bool> hurry_{false};
};

/// Refuses an interval in which a counter could wrap unseen.
void check_interval(const std::vector<Sampled>& meters, Seconds interval);

}  // namespace prengdl
