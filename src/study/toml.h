// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "study/setting_tree.h"

namespace prengdl {

/// Reads TOML text into a tree. What is no TOML, nests deeper than any study does, or holds a NUL,
/// which no program could be handed, becomes a problem; then the tree is empty or lacks that value.
/// `file` is the name that places carry.
StudyNode parse_toml(std::string_view text, const std::string& file, Problems& problems);

}  // namespace prengdl
