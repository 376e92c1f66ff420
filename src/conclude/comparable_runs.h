// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// Throws an Error that says so if no run succeeded: "all 12 runs failed".
void check_any_succeeded(const std::vector<StoredRun>& runs);

/// An Error that names the spans that were emitted, if none of the good runs emitted one of the
/// study's window. Nothing if no run is good.
std::optional<Error> window_trouble(const Study& study, const std::vector<StoredRun>& runs);

/// Throws that Error.
void check_window(const Study& study, const std::vector<StoredRun>& runs);

/// Whether any run has a figure of this measure that is not modelled.
bool has_measured(const std::vector<StoredRun>& runs, const std::string& measure);

/// Replaces the study's window by another one (`--window`). Throws a UsageError that names the
/// spans that were emitted if none fits. Returns the window that was replaced, if it was another
/// one.
std::optional<std::string> take_window(const std::string& window,
                                       const std::vector<StoredRun>& runs, Study& study);

}  // namespace prengdl
