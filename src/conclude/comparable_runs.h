// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// Throws an Error that says so if no run succeeded: "all 12 runs failed".
void check_any_succeeded(const std::vector<StoredRun>& runs);

/// Throws an Error that names the spans there are if none of the good runs emitted one of the
/// study's window. Does nothing if no run is good.
void check_window(const Study& study, const std::vector<StoredRun>& runs);

/// Whether any run has a figure of this measure that is not modelled.
bool has_measured(const std::vector<StoredRun>& runs, const std::string& measure);

/// Another part of each run than the study says is to be compared (`--window`). Throws a UsageError
/// that names the spans there are. Gives what the study says, if that is something else.
std::optional<std::string> take_window(const std::string& window,
                                       const std::vector<StoredRun>& runs, Study& study);

}  // namespace prengdl
