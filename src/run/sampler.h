// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "meters/meter.h"
#include "run/exit_stamp.h"
#include "run/process.h"
#include "run/sample_ring.h"

namespace prengdl {

/// A meter with its place in the run's list of meters.
struct Sampled {
  Meter* meter = nullptr;
  std::uint16_t index = 0;
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
};

/// The meters that are read at every tick, and the process that they are read around: reads the
/// counters, opens the gate, ticks on absolute deadlines until the process exits, reads again.
/// run() is a thread's whole life; everything else is asked after it has ended.
class QuickLane {
 public:
  QuickLane(const std::vector<Sampled>& meters, Seconds interval, WaitingChild& child);

  void run() noexcept;

  SampleRing& ring() { return ring_; }
  const LaneRecord& record() const { return record_; }
  const RunTimes& times() const { return times_; }

  /// Both ends of the run lie at a step of these counters (see docs/measuring.md).
  bool edges_resolved() const { return edges_resolved_; }

 private:
  struct Slot {
    Sampled sampled;
    std::uint32_t stride = 1;  // read at each stride-th tick
    bool steps = false;        // a counter that changes about once a millisecond
    bool stepped = false;      // and has been seen to do so
    Reading last;
  };
  void keep(const Slot& slot, const Reading& reading) noexcept;
  void read_all(bool keep_stepping) noexcept;
  void wait_for_steps(bool at_exit) noexcept;
  void note_step(Slot& slot, const Reading& now, bool at_exit) noexcept;
  void tick_until_exit() noexcept;

  std::vector<Slot> slots_;
  std::int64_t interval_ns_;
  WaitingChild& child_;
  ExitStamp exit_stamp_;
  SampleRing ring_;
  LaneRecord record_;
  RunTimes times_;
  bool edges_resolved_ = true;
};

/// Meters that are slow to read, and channels: each at its own rate, on a thread of its own, so
/// that none of them can delay the quick ones. Goes on after the exit for as long as a gauge
/// averages.
class PatientLane {
 public:
  /// `stop` becomes readable when the process has exited: its pidfd.
  PatientLane(const std::vector<Sampled>& meters, Seconds interval, int stop);

  void run() noexcept;
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
  int stop_;
  SampleRing ring_;
  LaneRecord record_;
  std::atomic<bool> hurry_{false};
};

/// Refuses an interval in which a counter could wrap unseen.
void check_interval(const std::vector<Sampled>& meters, Seconds interval);

}  // namespace prengdl
