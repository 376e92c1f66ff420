// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/aa_record.h"
#include "report/terminal.h"

namespace prengdl {

/// What `doctor --aa` found, for people.
std::string aa_text(const AaRecord& record, const Style& style);

/// What stands beside a later claim by this measure: "the machine's own spread is 0.8 %, ...". If
/// the record does not have the measure, what it has.
std::string aa_line(const AaRecord& record, const std::string& measure);

}  // namespace prengdl
