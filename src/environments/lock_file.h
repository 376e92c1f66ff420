// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "base/files.h"

namespace prengdl {

/// One process at a time makes or removes an environment. The lock is inherited by the tools that
/// are started: should we be killed, it is held until the last of them has ended.
class EnvironmentLockFile {
 public:
  enum class IfTaken { wait, refuse };

  /// Waits for the process that has it, and calls `waiting` with its process number meanwhile; or
  /// throws an Error that names it.
  EnvironmentLockFile(const std::filesystem::path& environment, IfTaken if_taken,
                      const std::function<void(long pid)>& waiting = {});

 private:
  FileDescriptor file_;
};

}  // namespace prengdl
