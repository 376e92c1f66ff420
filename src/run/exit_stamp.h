// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/files.h"

namespace prengdl {

/// The kernel's own time stamp of a process's exit (a perf side-band record on CLOCK_MONOTONIC). It
/// is sharper than what a parent sees: the teardown after the last instruction and our own wake-up,
/// a fifth of a millisecond, stay out of the window. Not there without the right to
/// perf_event_open; the parent's view then stands.
class ExitStamp {
 public:
  ExitStamp() = default;
  ~ExitStamp() { release(); }
  ExitStamp(const ExitStamp&) = delete;
  ExitStamp& operator=(const ExitStamp&) = delete;

  /// Starts watching. Not while the program is being loaded: that would slow it by as much as the
  /// stamp is worth.
  void watch(pid_t pid) noexcept;

  /// When the process began to exit, if the kernel has written it down; allocates nothing.
  std::optional<std::int64_t> exit_ns() const noexcept;

  bool is_watching() const { return ring_ != nullptr; }

  /// Drops what the kernel wrote so far, unless the exit is in it: a process that forks a lot would
  /// leave no room for its exit.
  void forget() noexcept;

  void release() noexcept;

 private:
  std::optional<std::int64_t> exit_before(std::uint64_t head) const noexcept;

  FileDescriptor event_;
  void* ring_ = nullptr;
};

}  // namespace prengdl
