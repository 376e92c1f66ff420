// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "audit/finding.h"
#include "audit/input.h"

namespace prengdl {

/// Threats to validity that the data show by themselves, the most severe first. Reads the samples
/// of each run once. Deterministic.
std::vector<AuditFinding> audit(const AuditInput& input);

/// ok if there are none.
AuditSeverity worst(const std::vector<AuditFinding>& findings);

}  // namespace prengdl
