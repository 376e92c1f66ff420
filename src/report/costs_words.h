// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/meter_info.h"
#include "model/study.h"
#include "report/json.h"

namespace prengdl {

// What the parts of `compare` on costs have in common (docs/costs.md).

std::string unit_name(const CellPattern& cell);  // "model=ncf phase=train"; "all runs" if empty
Json unit_json(const CellPattern& cell);

std::string unit_of_measure(const std::string& measure);  // "J", or "s" of seconds

/// One of what was told: "sample" of "samples"; "run" where no work was told.
std::string one_of(const std::optional<std::string>& work);

/// " [modelled, not measured]" and the like; "" for what was measured.
std::string quality_remark(const std::optional<Quality>& quality);

}  // namespace prengdl
