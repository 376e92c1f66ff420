// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "base/units.h"

namespace prengdl {

/// CLOCK_MONOTONIC in nanoseconds: the one clock of samples, events and process times.
inline std::int64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

constexpr Seconds seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return Seconds{static_cast<double>(to_ns - from_ns) * 1e-9};
}

constexpr std::int64_t nanoseconds(Seconds duration) {
  return static_cast<std::int64_t>(duration.count() * 1e9 + (duration.count() < 0 ? -0.5 : 0.5));
}

/// Time as the loops over runs see it, so that a test need not wait.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ns() = 0;
  virtual void sleep_until(std::int64_t at_ns) = 0;
};

/// The machine's own clock.
class SystemClock final : public Clock {
 public:
  std::int64_t now_ns() override { return monotonic_ns(); }
  void sleep_until(std::int64_t at_ns) override {
    const timespec at{static_cast<std::time_t>(at_ns / 1'000'000'000),
                      static_cast<long>(at_ns % 1'000'000'000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
};

/// The wall clock in UTC, "2026-11-16T10:20:30Z": for the record only, never to measure with.
std::string utc_now();

}  // namespace prengdl
