// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "import/imported.h"

namespace prengdl {

/// The kinds of files that can be imported, for messages.
std::vector<std::string> import_kinds();

/// Reads files of a kind. Throws an Error (UsageError for a wrong call) with file, line and column.
Imported import_files(const std::string& kind, const std::vector<std::filesystem::path>& paths,
                      const ImportOptions& options);

}  // namespace prengdl
