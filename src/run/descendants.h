// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/units.h"

namespace prengdl {

/// From now on, processes whose parent dies become our children, so that none gets away.
void adopt_orphans();

/// A process that outlived the workload.
struct LeftBehind {
  pid_t pid{};
  std::string name;
};

/// Ends what the workload left running: politely, then for good after `grace`. Children that are
/// not the workload's (a wall meter's reader) are named in `spare`.
std::vector<LeftBehind> end_descendants(const std::vector<pid_t>& spare, Seconds grace);

}  // namespace prengdl
