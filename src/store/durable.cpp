// SPDX-License-Identifier: Apache-2.0
#include "store/durable.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace prengdl {

std::string write_advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there and start again; the runs that were reported are safe";
    case EROFS:
      return "make the file system writable or use another directory";
    case EACCES:
    case EPERM:
      return "let your user write there or use another directory";
    case ENOENT:  // of a directory that is there: /proc and /sys take no names
      return "use another directory";
    default:
      return "";
  }
}

Error write_error(const std::filesystem::path& path, int error_number) {
  return Error(fmt::format("cannot write {}: {}", path.string(), error_text(error_number)),
               write_advice(error_number));
}

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
