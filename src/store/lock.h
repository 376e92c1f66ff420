// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/files.h"

namespace prengdl {

/// One process at a time writes to a result directory: the one that holds the locks on the
/// directory itself and on RESULT/lock. The second one names its holder and works where directories
/// cannot be locked; the first one holds when somebody removes the file. The kernel gives both back
/// when the holder ends, however it ends. Readers need none.
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

  /// Whether the path still leads to the directory that is locked.
  bool has_directory() const;
  /// Whether the lock file in it is still the one that is locked.
  bool has_file() const;

 private:
  std::filesystem::path directory_;
  FileDescriptor self_;  // the directory
  FileDescriptor file_;
};

/// "prengdl 1234 (run study.toml) on host since 2025-11-16T10:20:30Z" from the text of a lock file;
/// "another process" when that says nothing.
std::string holder_of(const std::string& lock_text);

}  // namespace prengdl
