// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/model_bounds.h"
#include "report/compare_report.h"
#include "report/terminal.h"

namespace prengdl {

/// What `compare` says where there is no meter, key "without_a_meter". `factors`: those that name a
/// unit, in the study's order.
ComparePart bounds_part(const ModelBounds& bounds, const std::vector<std::string>& factors,
                        const Style& style);

}  // namespace prengdl
