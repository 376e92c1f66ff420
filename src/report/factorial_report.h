// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/factorial.h"
#include "report/compare_report.h"
#include "report/terminal.h"

namespace prengdl {

/// What `compare --factorial` adds, key "factorial": an entry for each measure.
ComparePart factorial_part(const std::vector<FactorialView>& views, const Style& style);

}  // namespace prengdl
