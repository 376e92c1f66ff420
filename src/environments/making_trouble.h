// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace prengdl {

/// What was being done when a tool failed.
struct Making {
  std::string what;  // "pytorch 2.15.0 cpu"
  std::filesystem::path directory;
  std::filesystem::path log;  // what the tools said, in whole
};

/// What a tool's words mean to the person who called `setup`: a full disk, no network, a file that
/// is not the one of the lock, no package for this machine, a missing python3-venv.
Error making_error(const Making& making, const std::string& tool_output);

}  // namespace prengdl
