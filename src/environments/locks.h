// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/environment.h"

namespace prengdl {

/// A lock of the product: SHARE/environments/NAME/VERSION/VARIANT.lock (environments/README.md).
struct EnvironmentLock {
  EnvironmentName name;
  std::string variant;          // "cpu" or "cuda"
  std::filesystem::path file;   // the lock
  std::filesystem::path check;  // the script that tries the environment
};

/// All locks, in natural order.
std::vector<EnvironmentLock> all_locks(const std::filesystem::path& share);

/// What a study may write: "pytorch", "pytorch@2.13.0", "pytorch@2.15.0", ...
std::vector<std::string> known_environments(const std::filesystem::path& share);

/// The lock for this name and variant. Where a version has no lock for CUDA, that for the CPU is
/// given: for some frameworks it is the same, for others there is no other. Throws a UsageError for
/// a name or version that is not there.
EnvironmentLock find_lock(const std::filesystem::path& share, const std::string& name,
                          const std::string& variant);

}  // namespace prengdl
