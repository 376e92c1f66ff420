// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "meters/sources.h"

namespace prengdl {

/// The directory that holds environments/, studies/, workloads/ and python/: PRENGDL_SHARE; else
/// ../share/prengdl or .. as seen from the program, so that it is found after an installation and
/// in a build directory alike. Nothing if none of them has environments/.
std::optional<std::filesystem::path> find_share(const std::filesystem::path& program,
                                                const Environment& environment);

/// The same for this program.
std::optional<std::filesystem::path> find_share();

/// Throws an Error that says where it was looked for.
std::filesystem::path share_directory();

}  // namespace prengdl
