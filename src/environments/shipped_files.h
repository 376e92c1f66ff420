// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "base/this_process.h"

namespace prengdl {

/// The directory that holds environments/, studies/, workloads/ and python/: PRENGDL_SHARE; else
/// ../share/prengdl or .. as seen from the program, so that it is found after an installation and
/// in a build directory alike. Nothing if none of them has environments/.
std::optional<std::filesystem::path> find_share(const std::filesystem::path& program,
                                                const Variables& variables);

/// The same for this program.
std::optional<std::filesystem::path> find_share();

}  // namespace prengdl
