// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace prengdl {

/// Runs a program of the system by its absolute path, with a fixed environment and without input
/// or output, and waits for it, at most a minute. What went wrong, in words; nothing if it ended
/// with 0. For what runs as root: nothing of the caller's environment reaches it.
std::optional<std::string> run_fixed_program(const std::filesystem::path& program,
                                             const std::vector<std::string>& arguments);

}  // namespace prengdl
