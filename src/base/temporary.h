// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/files.h"

namespace prengdl {

/// TMPDIR, or /tmp. Throws an Error when that is no directory.
std::filesystem::path temporary_directory();

/// A new file `name`-XXXXXX in a directory. It is locked as long as the descriptor is open, which
/// distinguishes it from what a dead process left behind. Throws an Error with the reason when it
/// cannot be made or the directory has no room.
std::pair<FileDescriptor, std::filesystem::path> temporary_file(
    const std::filesystem::path& directory, const std::string& name);

/// A file without a name, which nobody need remove.
FileDescriptor unnamed_file(const std::filesystem::path& directory);

/// Removes the files `name`-XXXXXX of processes that were killed, of our own user only.
void remove_dead_files(const std::filesystem::path& directory, const std::string& name) noexcept;

/// Whether the file system that holds this file has no room left.
bool is_full(const FileDescriptor& file);

}  // namespace prengdl
