// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/audit.h"
#include "report/terminal.h"

namespace prengdl {

std::string audit_json(const std::vector<AuditFinding>& findings);

/// Most severe first, each in a line with its numbers, then what to do; what is well last, in a
/// word each.
std::string audit_text(const std::vector<AuditFinding>& findings, const Style& style);

}  // namespace prengdl
