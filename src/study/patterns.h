// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/study.h"
#include "study/setting_tree.h"

namespace prengdl {

/// Reads [[exclude]] and [[override]] into the study. A factor or level that is not among `known`,
/// the factors before a preset narrowed them, becomes a problem. A list of levels stands for a
/// pattern for each of them.
void read_patterns(const StudyNode& tree, const std::vector<Factor>& known, Study& study,
                   Problems& problems);

/// Adds a problem for each level of a preset that the study does not have: presets narrow factors.
void check_preset_factors(const StudyNode& preset, const std::vector<Factor>& known,
                          Problems& problems);

}  // namespace prengdl
