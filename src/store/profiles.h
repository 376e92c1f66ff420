// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "model/study.h"

namespace prengdl {

/// Where a result keeps the cProfile dump of a cell that came without saying of which run:
/// RESULT/profiles/LEVEL/LEVEL/LEVEL.prof, in the order of the factors. The file need not be there.
std::filesystem::path profile_of(const std::filesystem::path& result, const Cell& cell);

}  // namespace prengdl
