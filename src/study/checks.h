// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "model/study.h"
#include "study/setting_tree.h"

namespace prengdl {

/// Whether a word has a meaning of its own, so that no factor can be called so.
bool is_taken_name(std::string_view name);

/// Adds a problem for each text of a workload with an unknown placeholder, and for braces that are
/// not closed.
void check_placeholders(const StudyNode& tree, const Study& study, Problems& problems);

/// Whether the values of a study go together: factors that something uses, a command for each cell,
/// a comparison that can be made. Fills in what follows from the rest (compare, within). `known`
/// are the factors before a preset narrowed them.
void check_study(const StudyNode& tree, const std::vector<Factor>& known, Study& study,
                 Problems& problems);

/// The part of check_study that is about [analysis]; of the study it needs the factors.
void check_analysis(const StudyNode& tree, const std::vector<Factor>& known, Study& study,
                    Problems& problems);

}  // namespace prengdl
