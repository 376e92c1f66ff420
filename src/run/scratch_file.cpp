// SPDX-License-Identifier: Apache-2.0
#include "run/scratch_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include "base/temporary.h"

namespace prengdl {

ScratchFile::ScratchFile(const std::filesystem::path& directory, const std::string& name)
    : name_(name) {
  std::tie(file_, path_) =
      temporary_file(directory.empty() ? temporary_directory() : directory, name);
}

ScratchFile::~ScratchFile() {
  unlink(path_.c_str());
  // After the run, where it disturbs nothing.
  static bool has_looked = false;
  if (!has_looked) remove_dead_files(path_.parent_path(), name_);
  has_looked = true;
}

std::optional<std::string> ScratchFile::trouble() const {
  if (!is_full(file_)) return std::nullopt;
  return fmt::format(
      "{} is full: events or output of this run may be missing; free some space there, or set "
      "TMPDIR to another directory",
      path_.parent_path().string());
}

}  // namespace prengdl
