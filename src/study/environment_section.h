// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/study.h"
#include "study/setting_tree.h"

namespace prengdl {

/// The `environment` of [workload] or [[override]]: a text, or a table of one kind. `node` may be
/// null: then it is the caller's own.
EnvironmentChoice read_environment(const StudyNode* node, Problems& problems);

/// Adds a problem for each environment of `setup` that a cell of the study asks for and that is not
/// among `known`, at the place where it is written.
void check_environment_names(const StudyNode& tree, const Study& study,
                             const std::vector<std::string>& known, Problems& problems);

}  // namespace prengdl
