// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace prengdl {

// How many files a process may have open. Each meter keeps one or two open, a run some twenty.

/// Raises the soft limit as far as many meters need and the hard limit allows.
void allow_open_files();

/// In a child before its exec: the limit that we were started with. Async-signal-safe.
void restore_open_files() noexcept;

/// Throws an Error that names the limit unless a run can open the files it needs.
void require_open_files();

/// Whether an errno says that this process or the machine has run out of something (descriptors,
/// memory): what could not be opened may well be there.
bool is_exhaustion(int error_number);

/// What the user can do about such an errno; empty for any other.
const char* exhaustion_advice(int error_number);

}  // namespace prengdl
