// SPDX-License-Identifier: Apache-2.0
#include "store/durable.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace prengdl {

void write_all(const FileDescriptor& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path) {
  if (const int reason = write_fully(file, bytes.data(), bytes.size()))
    throw write_error(path, reason);
}

void sync_file(const FileDescriptor& file, const std::filesystem::path& path) {
  if (::fsync(file.get()) != 0) throw write_error(path, errno);
}

void sync_directory(const std::filesystem::path& directory) {
  const FileDescriptor self(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!self) throw write_error(directory, errno);
  // Some network file systems cannot sync a directory and say so; their server does it itself.
  if (::fsync(self.get()) != 0 && errno != EINVAL) throw write_error(directory, errno);
}

void make_directory(const std::filesystem::path& directory) {
  std::error_code none;
  if (std::filesystem::is_directory(directory, none)) return;
  // /proc says of a new name that it is missing, although the directory above is there: each name
  // is tried once.
  if (directory.has_parent_path() && directory.parent_path() != directory)
    make_directory(directory.parent_path());
  if (::mkdir(directory.c_str(), 0755) != 0) {
    const int reason = errno;
    if (reason == EEXIST && std::filesystem::is_directory(directory, none)) return;
    throw write_error(directory, reason == EEXIST ? ENOTDIR : reason);
  }
  if (directory.has_parent_path()) sync_directory(directory.parent_path());
}

}  // namespace prengdl
