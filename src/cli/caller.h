// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace prengdl {

/// The first thing that the program does: under sudo it leaves a helper behind that does what needs
/// root (privilege/helper.h) and becomes the calling user for good. `words` are those of the
/// command line; of them only --as-root matters.
void go_on_as_caller(const std::vector<std::string>& words);

/// Whether the workload is to be root, for Launch: --as-root was given and sudo has made us root.
/// Warns then; else the way back to root is given up. To be called as soon as the options are
/// known.
bool workload_as_root(bool is_asked_for);

}  // namespace prengdl
