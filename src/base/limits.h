// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace prengdl {

// How many files a process may have open. Each meter keeps one or two open, a run some twenty.

/// Raises the soft limit as far as many meters need and the hard limit allows.
void allow_open_files();

/// In a child before its exec: the limit that we were started with. Async-signal-safe.
void restore_open_files() noexcept;

/// Throws an Error that names the limit unless a run can open the files it needs.
void require_open_files();

// The thread that reads the meters may have a higher priority than the workload, also when the
// program is no longer root. The programs that it starts may not.

/// Lets this process raise its priority later (RLIMIT_NICE). To be called as root, before it drops
/// to a user; does nothing where the kernel refuses.
void allow_high_priority() noexcept;

/// Takes that right from a child: by the child itself before its exec (async-signal-safe), or by
/// its parent where it cannot. Does nothing if the right was never given.
void forbid_high_priority(pid_t child = 0) noexcept;

}  // namespace prengdl
