// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/factorial.h"
#include "report/compare_report.h"

namespace prengdl {

/// What `compare --factorial` adds, key "factorial": an entry for each measure.
ComparePart factorial_part(const std::vector<FactorialView>& views, bool colour);

}  // namespace prengdl
