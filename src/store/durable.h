// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/own_files.h"

namespace prengdl {

// Files that are there in whole or not at all, whenever the process is killed or the power fails.

/// Writes all bytes or throws write_error.
void write_all(const FileDescriptor& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path);

/// Waits until the content of a file or the names in a directory are on the disk.
void sync_file(const FileDescriptor& file, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& directory);

/// Makes the directory and those above it, as far as they are missing, and syncs their names.
void make_directory(const std::filesystem::path& directory);

}  // namespace prengdl
