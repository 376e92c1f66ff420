// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meters/meter.h"
#include "report/terminal.h"
#include "run/attempt.h"

namespace prengdl {

std::string meters_json(const FoundMeters& found);
std::string meters_text(const FoundMeters& found, const Style& style);

/// Mean power over the last step, for `meters --watch`: a line for each meter, none wider than the
/// style says.
std::string watts_table(const Meters& meters, const Baseline& power, const Style& style);
std::string watts_line(const Meters& meters, const Baseline& power);

/// What could be measured and was not, with what to do about it; each advice once. What is left out
/// by design has no advice and is not in it.
std::string left_out_text(const std::vector<LeftOut>& left_out, const Style& style);

}  // namespace prengdl
