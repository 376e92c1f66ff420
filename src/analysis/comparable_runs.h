// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// Throws an Error that says so if no run succeeded: "all 12 runs failed".
void check_any_succeeded(const std::vector<StoredRun>& runs);

/// Throws an Error that names the spans there are if none of the good runs emitted one of the
/// study's window. Does nothing if no run is good.
void check_window(const Study& study, const std::vector<StoredRun>& runs);

}  // namespace prengdl
