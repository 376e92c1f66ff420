// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/process.h"

namespace prengdl {

/// The directory of the Python package `prengdl` that belongs to this program; nothing if it is not
/// there, or cannot be named in PYTHONPATH.
std::optional<std::filesystem::path> python_package_directory();

/// Lets a Python workload import the package, whatever environment it runs in: the directory comes
/// last in PYTHONPATH, after what the launch says, or else `inherited`.
void append_to_python_path(Launch& launch, const std::filesystem::path& directory,
                           const std::string& inherited);

/// PYTHONPATH of this process, which its children inherit; empty if it has none.
std::string own_python_path();

}  // namespace prengdl
