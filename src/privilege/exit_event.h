// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/files.h"

namespace prengdl {

/// A perf event that counts nothing and has the kernel note the forks and the exit of this process
/// in its ring, with the time on CLOCK_MONOTONIC. errno has the reason if there is none.
FileDescriptor open_exit_event(pid_t process) noexcept;

}  // namespace prengdl
