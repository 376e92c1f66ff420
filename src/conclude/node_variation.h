// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conclude/case_runs.h"
#include "model/comparison.h"
#include "model/window.h"

namespace prengdl {

/// How much of the variation of a case's costs is between the machines that ran all its levels.
/// `has_blocks`: blocks of a machine with all levels count, and what their runs share is taken into
/// account. Nothing if it cannot be estimated: fewer than two machines, no replicates, no spread,
/// or a cost that has no logarithm.
std::optional<NodeVariation> node_variation(const CaseRuns& one_case, const std::string& measure,
                                            const std::optional<std::string>& per,
                                            const Window& window, bool has_blocks);

}  // namespace prengdl
