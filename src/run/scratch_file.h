// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.h"

namespace prengdl {

/// A file that only this run writes to; removed at the end. The workload opens it by its path, so
/// it has a name; if prengdl is killed, the next run on the machine removes it.
class ScratchFile {
 public:
  /// In the directory for temporary files if `directory` is empty.
  ScratchFile(const std::filesystem::path& directory, const std::string& name);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return file_.get(); }

  /// A warning if the file system that it lies on is full, or else nothing.
  std::optional<std::string> trouble() const;

 private:
  FileDescriptor file_;
  std::filesystem::path path_;
  std::string name_;
};

}  // namespace prengdl
