// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/study.h"

namespace prengdl {

/// What `--only FACTOR=LEVEL` means; throws a UsageError that names what the study does not have.
CellPattern cell_pattern(const Study& study, const std::vector<std::string>& only);

}  // namespace prengdl
