// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/emissions.h"
#include "report/json.h"
#include "report/terminal.h"

namespace prengdl {

/// Carbon and money: every figure is called derived and stands with the factor it comes from.
std::string emissions_text(const Emissions& emissions, const Style& style);
Json emissions_json(const Emissions& emissions);

}  // namespace prengdl
