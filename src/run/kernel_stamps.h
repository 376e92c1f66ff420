// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/files.h"

namespace prengdl {

/// The kernel's own time stamps of a process's exec and exit (perf side-band records on
/// CLOCK_MONOTONIC). They are sharper than what a parent sees: the load of the program before its
/// first instruction, the teardown after its last and our own wake-up stay out of the window, half
/// a millisecond in all. Not there without the right to perf_event_open; the parent's view then
/// stands.
class KernelStamps {
 public:
  /// For a process that has not yet exec'ed.
  explicit KernelStamps(pid_t pid);
  ~KernelStamps();
  KernelStamps(const KernelStamps&) = delete;
  KernelStamps& operator=(const KernelStamps&) = delete;

  /// Takes what the kernel wrote since; allocates nothing.
  void collect() noexcept;

  /// When the new program was ready to run, if seen.
  std::optional<std::int64_t> exec_ns() const { return exec_ns_; }
  /// When the process began to exit, if seen.
  std::optional<std::int64_t> exit_ns() const { return exit_ns_; }

  /// Stops watching: in a long run the half millisecond no longer counts, but each context switch
  /// of a watched process costs a little.
  void release() noexcept;

 private:
  pid_t pid_;
  FileDescriptor event_;
  void* ring_ = nullptr;
  std::optional<std::int64_t> exec_ns_;
  bool loaded_ = false;  // the first program is complete; a later exec of its own does not count
  std::optional<std::int64_t> exit_ns_;
};

}  // namespace prengdl
