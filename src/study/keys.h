// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "study/setting_tree.h"

namespace prengdl {

/// The keys that a study file may have, as paths: "study.runs", "factors.*" where any name may
/// stand, "exclude[].*" in a list of tables. docs/study.schema.json knows exactly these.
std::vector<std::string> known_keys();

/// Adds a problem for each key that no study has, with the key that was probably meant.
void check_keys(const StudyNode& study, Problems& problems);

}  // namespace prengdl
