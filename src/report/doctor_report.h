// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/doctor.h"

namespace prengdl {

std::string doctor_json(const std::vector<Check>& checks, const FoundMeters& found);
std::string doctor_text(const std::vector<Check>& checks, bool colour);

}  // namespace prengdl
