// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "base/clock.h"

namespace prengdl {

/// Small jobs that must be done some time and do not belong to a measurement. A run has to wait for
/// its counters to step, half a millisecond at each end: they are done there, where they cost
/// nothing, instead of adding to the time that the user waits.
class Chores {
 public:
  using Job = std::function<void()>;

  /// Each job a few file reads, so that it does not hide a step for long. A job may add others,
  /// which come after all that are there.
  void add(Job job) { jobs_.push_back(std::move(job)); }

  /// Does the oldest; false when none is left. A job that fails is dropped: it only gathered facts.
  bool do_one() noexcept {
    if (jobs_.empty()) return false;
    try {
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      job();
    } catch (...) {
    }
    return true;
  }

  /// As many as are begun before this time.
  void do_until(std::int64_t deadline_ns) noexcept {
    while (monotonic_ns() < deadline_ns && do_one()) {
    }
  }

  void do_all() noexcept {
    while (do_one()) {
    }
  }

 private:
  std::deque<Job> jobs_;
};

}  // namespace prengdl
