// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace prengdl {

/// The same command under Python's cProfile, which writes its dump to `file` at the end; nothing if
/// it is not a command of Python that runs a module or a script.
std::optional<std::vector<std::string>> under_cprofile(const std::vector<std::string>& command,
                                                       const std::filesystem::path& file);

}  // namespace prengdl
