// SPDX-License-Identifier: Apache-2.0
#include "run/sampler.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "model/energy.h"

namespace prengdl {
namespace {

/// Counters that step up to this slowly are waited for at both ends of a run; slower ones are not
/// worth the delay.
constexpr Seconds longest_step{0.002};

/// Chores are done for so long between two looks at the counters: a step is then known to a tenth
/// of a millisecond either way, for the one run of a series that has chores.
constexpr std::int64_t chores_ns = 200'000;

/// When the kernel's stamp of the exit is asked for, and how often what else it wrote is dropped
/// (see ExitStamp).
constexpr std::int64_t stamp_from_ns = 10'000'000;
constexpr std::int64_t stamp_again_ns = 500'000'000;

/// An exit that was seen later than this after it began was spent on real work, such as giving
/// back much memory, or in other threads: then what was seen counts, unless we were held up.
constexpr std::int64_t longest_exit_ns = 2'000'000;

/// A meter that is not in the total, such as the battery of a laptop whose package is metered, may
/// delay the next run by this much.
constexpr Seconds longest_courtesy{1};

/// How long a gauge is read on after the exit, for what it shows late.
Seconds trailing_of(const Sampled& sampled) {
  const MeterInfo& info = sampled.meter->info();
  const Seconds wanted = info.window + info.lag + info.update;
  return sampled.is_in_total ? wanted : std::min(wanted, longest_courtesy);
}

timespec timespec_of(std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 0);
  return {static_cast<std::time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

/// As long as it lives this thread is woken at once: without the slack of 50 us that the kernel may
/// add to a sleep, and, where we may (root), before ordinary processes, so that on a busy machine
/// the exec and the exit of the workload are not seen milliseconds late. (Not by a real-time
/// policy: with that each wake-up costs several times as much CPU.) Given back afterwards, since
/// workloads that this thread starts would inherit it.
class Alert {
 public:
  Alert() noexcept : slack_(prctl(PR_GET_TIMERSLACK)), nice_(getpriority(PRIO_PROCESS, 0)) {
    prctl(PR_SET_TIMERSLACK, 1);
    setpriority(PRIO_PROCESS, 0, -20);  // on Linux of this thread alone
  }
  ~Alert() {
    setpriority(PRIO_PROCESS, 0, nice_);
    prctl(PR_SET_TIMERSLACK, slack_);
  }
  Alert(const Alert&) = delete;
  Alert& operator=(const Alert&) = delete;

 private:
  int slack_;
  int nice_;
};

}  // namespace

void check_interval(const std::vector<Sampled>& meters, Seconds interval) {
  for (const auto& sampled : meters) {
    const MeterInfo& info = sampled.meter->info();
    const auto safe = longest_safe_interval(info);
    const Seconds between = std::max(interval, info.period);
    if (safe && between > *safe)
      throw Error(
          fmt::format("{} wraps after {:.3g} J: read every {:.3g} s, a wrap could be missed",
                      info.id, static_cast<double>(*info.range) * info.step, between.count()),
          fmt::format("sample at {:.0f} Hz or more with --rate", std::ceil(1 / safe->count())));
  }
}

QuickLane::QuickLane(const std::vector<Sampled>& meters, Seconds interval, WaitingChild& child,
                     Chores* chores)
    : interval_ns_(nanoseconds(interval)), child_(child), chores_(chores) {
  for (const auto& sampled : meters) {
    const MeterInfo& info = sampled.meter->info();
    Slot slot;
    slot.sampled = sampled;
    slot.stride = static_cast<std::uint32_t>(std::max(1.0, std::round(info.period / interval)));
    slot.steps = info.kind == Kind::counter && info.quality != Quality::model &&
                 info.counted != Counted::inside && info.update > Seconds{0} &&
                 info.update <= longest_step;
    slots_.push_back(slot);
  }
}

void QuickLane::keep(const Slot& slot, const Reading& reading) noexcept {
  ring_.push({reading, slot.sampled.index});
}

void QuickLane::read_stepping() noexcept {
  for (auto& slot : slots_)
    if (slot.steps) slot.last = slot.sampled.meter->read();
}

void QuickLane::keep_stepping() noexcept {
  read_stepping();
  for (const auto& slot : slots_)
    if (slot.steps) keep(slot, slot.last);
}

void QuickLane::read_others() noexcept {
  for (auto& slot : slots_) {
    if (slot.steps) continue;
    slot.last = slot.sampled.meter->read();
    keep(slot, slot.last);
  }
}

/// Reads the stepping counters until each has changed once: the moment of a change is known to the
/// spacing of two reads, which is far less than a step.
void QuickLane::wait_for_steps(bool at_exit) noexcept {
  std::size_t waiting = 0;
  std::int64_t longest = 0;
  for (auto& slot : slots_) {
    slot.stepped = !slot.steps;
    if (!slot.steps) continue;
    ++waiting;
    longest = std::max(longest, nanoseconds(slot.sampled.meter->info().update));
  }
  const std::int64_t until = monotonic_ns() + longest * 5 / 2;
  while (waiting > 0 && monotonic_ns() < until) {
    for (auto& slot : slots_) {
      if (slot.stepped) continue;
      const Reading now = slot.sampled.meter->read();
      const bool both = now.status == ReadStatus::ok && slot.last.status == ReadStatus::ok;
      if (both && now.raw != slot.last.raw) {
        note_step(slot, now, at_exit);
        slot.stepped = true;
        --waiting;
      } else {
        slot.last = now;
      }
    }
    if (waiting > 0 && chores_) chores_->do_until(monotonic_ns() + chores_ns);
  }
  if (waiting == 0) return;
  // A counter that stands still (an unused domain) or cannot be read has no step to wait for.
  edges_resolved_ = false;
  for (auto& slot : slots_)
    if (!slot.stepped) keep(slot, slot.last);
}

void QuickLane::note_step(Slot& slot, const Reading& now, bool at_exit) noexcept {
  const std::int64_t between = now.at_ns - slot.last.at_ns;
  Reading step = now;
  step.mark = Mark::edge;
  step.at_ns = slot.last.at_ns + between / 2;
  step.slack_ns = static_cast<std::uint32_t>(std::min<std::int64_t>(between / 2, UINT32_MAX));
  if (at_exit) {
    // The value that was read at the exit came about one update before this step.
    Reading before = step;
    before.raw = slot.last.raw;
    before.at_ns =
        std::min(step.at_ns - nanoseconds(slot.sampled.meter->info().update), slot.last.at_ns);
    keep(slot, before);
  }
  keep(slot, step);
  slot.last = now;
}

void QuickLane::begin() noexcept {
  const Alert alert;
  keep_stepping();
  wait_for_steps(false);
  read_others();
  times_.gate_ns = monotonic_ns();
  child_.open_gate();
  // Without meters there is nothing to do at a tick.
  if (!slots_.empty()) deadline_ns_ = times_.gate_ns + interval_ns_;
  stamp_due_ns_ = times_.gate_ns + stamp_from_ns;
  for (const auto& slot : slots_) {
    const std::int64_t update = nanoseconds(slot.sampled.meter->info().update);
    if (slot.steps && interval_ns_ > 2 * update)
      early_due_ns_ = std::min(early_due_ns_, times_.gate_ns + update * 3 / 2);
  }
  last_tick_ns_ = looked_ns_ = published_ns_ = times_.gate_ns;
}

void QuickLane::finish() noexcept {
  const Alert alert;
  // A stepping counter's value is kept only once it is known when it came about.
  read_stepping();
  read_others();
  times_.read_ns = monotonic_ns();
  times_.stall_ns += times_.read_ns - times_.seen_ns;
  if (times_.exec_ns == 0) times_.exec_ns = times_.gate_ns;
  times_.exit_ns = times_.seen_ns;
  // The stamp is of the first thread, which others may outlive.
  if (const auto exit = exit_stamp_.exit_ns();
      exit && *exit >= times_.exec_ns &&
      (times_.seen_ns - *exit < longest_exit_ns ||
       (is_in_doubt(times_) && *exit >= times_.alive_ns - longest_exit_ns)))
    times_.exit_ns = *exit;
  wait_for_steps(true);
  ring_.publish();
}

bool QuickLane::tick_until(std::int64_t until_ns) noexcept {
  const Alert alert;
  for (;;) {
    pollfd watched[2] = {{child_.pidfd(), POLLIN, 0}, {child_.exec_report(), POLLIN, 0}};
    const std::int64_t next = std::min({deadline_ns_, early_due_ns_, stamp_due_ns_, until_ns});
    const std::int64_t waiting = monotonic_ns();
    const timespec timeout = timespec_of(next - waiting);
    const int ready =
        ppoll(watched, exec_pending_ ? 2 : 1, next == INT64_MAX ? nullptr : &timeout, nullptr);
    const std::int64_t woken = monotonic_ns();
    if (ready > 0 && (watched[0].revents & POLLIN)) {
      note_exit(waiting, woken, next);
      return true;
    }
    looked_ns_ = woken;
    if (ready > 0 && exec_pending_ && watched[1].revents) {
      // Hung up: the exec is done. (A report of failure is read by the process that reaps the
      // child.) Seen together with the exit it would say nothing; the gate stands in then.
      exec_pending_ = false;
      times_.exec_ns = woken;
    }
    if (woken >= early_due_ns_) read_early();
    if (woken >= stamp_due_ns_) watch_exit(woken);
    if (woken >= deadline_ns_) tick(woken);
    if (woken >= until_ns) return false;
  }
}

/// From the step at which the run began to the exec the energy is interpolated up to the next
/// reading. A first tick that comes after many steps would mix in what the workload draws later.
void QuickLane::read_early() noexcept {
  early_due_ns_ = INT64_MAX;
  keep_stepping();
}

void QuickLane::watch_exit(std::int64_t now) noexcept {
  if (stamp_due_ns_ == times_.gate_ns + stamp_from_ns)
    exit_stamp_.watch(child_.pid());
  else
    exit_stamp_.forget();
  stamp_due_ns_ = exit_stamp_.is_watching() ? now + stamp_again_ns : INT64_MAX;
}

/// An exit during our wait is seen at once. It may be seen late when we did
/// something else, or were not woken when we should have been.
void QuickLane::note_exit(std::int64_t waiting_ns, std::int64_t woken_ns,
                          std::int64_t due_ns) noexcept {
  times_.alive_ns = looked_ns_;
  times_.seen_ns = woken_ns;
  times_.stall_ns =
      waiting_ns - looked_ns_ + (due_ns < woken_ns ? woken_ns - due_ns : std::int64_t{0});
}

void QuickLane::tick(std::int64_t now) noexcept {
  for (auto& slot : slots_) {
    if (tick_ % slot.stride != 0) continue;
    slot.last = slot.sampled.meter->read();
    keep(slot, slot.last);
  }
  ++record_.ticks;
  if (now - deadline_ns_ > interval_ns_ / 2) ++record_.late;
  record_.longest_gap_ns = std::max(record_.longest_gap_ns, now - last_tick_ns_);
  last_tick_ns_ = now;
  deadline_ns_ += interval_ns_;
  if (const std::int64_t behind = now - deadline_ns_; behind >= 0) {
    const std::int64_t skipped = behind / interval_ns_ + 1;
    record_.missed += static_cast<std::uint64_t>(skipped);
    tick_ += static_cast<std::uint64_t>(skipped);
    deadline_ns_ += skipped * interval_ns_;
  }
  ++tick_;
  if (now - published_ns_ > 500'000'000) {
    ring_.publish();
    published_ns_ = now;
  }
}

PatientLane::PatientLane(const std::vector<Sampled>& meters, Seconds interval, int stop)
    : stop_(stop) {
  for (const auto& sampled : meters) {
    const MeterInfo& info = sampled.meter->info();
    slots_.push_back({sampled, nanoseconds(std::max(info.period, interval)), 0});
    if (info.counted != Counted::channel && info.kind == Kind::gauge)
      trailing_ns_ = std::max(trailing_ns_, nanoseconds(trailing_of(sampled)));
  }
}

void PatientLane::read(Slot& slot) noexcept {
  const Reading reading = slot.sampled.meter->read();
  ring_.push({reading, slot.sampled.index});
}

bool PatientLane::may_block() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.sampled.meter->info().may_block; });
}

void PatientLane::first() noexcept {
  for (auto& slot : slots_) {
    read(slot);
    slot.due_ns = monotonic_ns() + slot.period_ns;
  }
}

void PatientLane::last() noexcept {
  last_ns_ = monotonic_ns();
  for (auto& slot : slots_) read(slot);
  ring_.publish();
}

void PatientLane::follow() noexcept {
  std::int64_t published = monotonic_ns();
  std::int64_t end = INT64_MAX;
  for (;;) {
    std::int64_t due = end;
    for (const auto& slot : slots_) due = std::min(due, slot.due_ns);
    pollfd watched{end == INT64_MAX ? stop_ : -1, POLLIN, 0};
    const timespec timeout = timespec_of(std::min(due - monotonic_ns(), std::int64_t{200'000'000}));
    const bool exited = ppoll(&watched, 1, &timeout, nullptr) > 0;
    const std::int64_t now = monotonic_ns();
    if (exited) end = now + trailing_ns_;
    if (now >= end || hurry_.load(std::memory_order_relaxed)) break;
    for (auto& slot : slots_) {
      if (!exited && now < slot.due_ns) continue;
      read(slot);
      ++record_.ticks;
      slot.due_ns += slot.period_ns;
      if (slot.due_ns <= now) {
        const std::int64_t skipped = (now - slot.due_ns) / slot.period_ns + 1;
        if (!exited) record_.missed += static_cast<std::uint64_t>(skipped);
        slot.due_ns += skipped * slot.period_ns;
      }
    }
    if (now - published > 500'000'000) {
      ring_.publish();
      published = now;
    }
  }
  last();
}

}  // namespace prengdl
