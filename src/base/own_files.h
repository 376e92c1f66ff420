// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/error.h"
#include "base/files.h"

namespace prengdl {

// Files in directories that others may be able to write to. A symbolic link, a pipe or somebody
// else's file that lies where we write is never written through.

/// "cannot write FILE: No space left on device", and what can be done about it.
Error write_error(const std::filesystem::path& path, int error_number);

/// What the user can do about an errno that a write gave; may be empty.
std::string write_advice(int error_number);

/// A new and empty file for reading and writing, close-on-exec. Whatever had its name before is
/// unlinked, not opened. Throws an Error that names the file.
FileDescriptor create_own_file(const std::filesystem::path& path, mode_t mode = 0644);

/// A file that stays from one process to the next (a lock, a log), opened for reading and writing
/// with `flags` in addition, or made. Throws unless it is a plain file of ours with no other name.
FileDescriptor open_own_file(const std::filesystem::path& path, int flags = 0, mode_t mode = 0644);

/// Makes the directory `below` inside of `base`, which exists, with all in between. Throws where
/// one of them is a link, no directory, or belongs to someone other than us and root.
void make_own_directory(const std::filesystem::path& base, const std::filesystem::path& below);

/// Throws unless this directory is ours or root's, and a link to it, if it is named by one: the
/// owner could exchange what we write in it.
void check_directory_owner(const std::filesystem::path& directory);

/// Opens `path`, relative to `root`, without following a link in any part of it. -1 and errno
/// where there is none.
FileDescriptor open_below(const std::filesystem::path& root, const std::filesystem::path& path,
                          int flags, mode_t mode = 0);

/// Writes the text aside and renames it, so that the file is there in whole or not at all: for
/// any reader meanwhile, and with `durable` also after a power cut.
enum class Durability { quick, durable };
void replace_file(const std::filesystem::path& path, const std::string& text,
                  Durability durability = Durability::durable);

/// Renames what was written aside, file or directory, and with `durable` waits until the new name
/// is on the disk. Its content is for the caller to sync.
void put_in_place(const std::filesystem::path& aside, const std::filesystem::path& path,
                  Durability durability = Durability::durable);

/// Writes all bytes or throws write_error.
void write_all(const FileDescriptor& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path);

/// Waits until the content of a file or the names in a directory are on the disk.
void sync_file(const FileDescriptor& file, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& directory);

/// Makes the directory and those above it, as far as they are missing, and syncs their names.
void make_directory(const std::filesystem::path& directory);

}  // namespace prengdl
