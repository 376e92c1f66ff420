// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"

namespace prengdl {

/// Signals that end a run in order (SIGINT, SIGTERM, SIGHUP): from now on they are read from here
/// by whoever attends it.
FileDescriptor take_signals();

}  // namespace prengdl
