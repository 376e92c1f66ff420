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

  /// Stops watching: in a long run a fifth of a millisecond no longer counts, but each context
  /// switch of a watched process costs a little.
  void release() noexcept;

 private:
  FileDescriptor event_;
  void* ring_ = nullptr;
};

}  // namespace prengdl
