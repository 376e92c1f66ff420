// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/study.h"
#include "study/setting_tree.h"

namespace prengdl {

/// Adds a problem for each text of a workload that names what there is not, and for braces that are
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
