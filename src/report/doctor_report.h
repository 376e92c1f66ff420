// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/aa_record.h"
#include "report/terminal.h"
#include "run/doctor.h"

namespace prengdl {

/// `aa`: what doctor --aa found on this machine, now or before.
std::string doctor_json(const std::vector<Check>& checks, const FoundMeters& found,
                        const std::optional<AaRecord>& aa = {});
std::string doctor_text(const std::vector<Check>& checks, const Style& style);

}  // namespace prengdl
