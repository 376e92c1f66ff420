// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/comparison.h"

namespace prengdl {

/// The cases of each of the study's groups, and all of them where there are several, as one: by
/// every measure and pair. Cases whose costs cannot be compared or are modelled do not count.
std::vector<GroupComparison> group_comparisons(const Study& study,
                                               const std::vector<Comparison>& comparisons);

}  // namespace prengdl
