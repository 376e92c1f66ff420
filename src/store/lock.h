// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/files.h"

namespace prengdl {

/// One process at a time writes to a result directory: the one that holds the lock on RESULT/lock.
/// The kernel gives it back when its holder ends, however it ends. Readers need none.
class ResultLock {
 public:
  /// Takes the lock of a directory that exists. Throws an Error that says who holds it: process,
  /// host, since when and with which command.
  explicit ResultLock(const std::filesystem::path& directory);
  ResultLock(ResultLock&&) noexcept = default;
  ResultLock& operator=(ResultLock&&) noexcept = default;
  ResultLock(const ResultLock&) = delete;
  ResultLock& operator=(const ResultLock&) = delete;
  ~ResultLock();

 private:
  FileDescriptor file_;
};

/// "prengdl 1234 (run study.toml) on host since 2025-11-16T10:20:30Z" from the text of a lock file;
/// "another process" when that says nothing.
std::string holder_of(const std::string& lock_text);

}  // namespace prengdl
