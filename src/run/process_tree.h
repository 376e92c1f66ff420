// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "meters/meter.h"

namespace prengdl {

/// Channels of a process and its descendants, and of the machine around them: workload_cpu and
/// machine_cpu (CPU seconds so far), workload_memory (resident bytes). The processes are those of
/// our own /proc; the machine is the one below `root`. Cheap: the tree is walked again only after
/// something was forked, all else is taken as the rest.
Meters tree_channels(pid_t workload, const std::filesystem::path& root);

}  // namespace prengdl
