// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/energy_time.h"
#include "report/json.h"
#include "report/terminal.h"

namespace prengdl {

std::string energy_time_text(const EnergyTime& energy_time, const Style& style);
Json energy_time_json(const EnergyTime& energy_time);

}  // namespace prengdl
