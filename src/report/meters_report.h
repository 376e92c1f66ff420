// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meters/meter.h"
#include "run/attempt.h"

namespace prengdl {

std::string meters_json(const FoundMeters& found);
std::string meters_text(const FoundMeters& found, bool colour);

/// Mean power over the last step, for `meters --watch`.
std::string watts_table(const Meters& meters, const Baseline& power, bool colour);
std::string watts_line(const Meters& meters, const Baseline& power);

}  // namespace prengdl
