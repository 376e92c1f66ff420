// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "meters/meter.h"
#include "model/flag.h"
#include "model/machine.h"
#include "run/attempt.h"
#include "tables/terminal.h"

namespace prengdl {

/// With its accuracy. `cpu`: of the machine, which decides about RAPL; may be null.
Json meter_json(const MeterInfo& info, const CpuFacts* cpu);
Json left_out_json(const std::vector<LeftOut>& left_out);
Json machine_json(const Machine& machine);
Json flags_json(const Flags& flags);  // a list of their names

std::string meters_json(const FoundMeters& found, const CpuFacts& cpu);
std::string meters_text(const FoundMeters& found, const CpuFacts& cpu, const Style& style);

/// Mean power over the last step, for `meters --watch`: a line for each meter, none wider than the
/// style says.
std::string watts_table(const Meters& meters, const Baseline& power, const Style& style);
std::string watts_line(const Meters& meters, const Baseline& power);

/// What could be measured and was not, with what to do about it; each advice once. What is left out
/// by design has no advice and is not in it.
std::string left_out_text(const std::vector<LeftOut>& left_out, const Style& style);

}  // namespace prengdl
