// SPDX-License-Identifier: Apache-2.0
#include "base/own_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Somebody who exchanges the file as fast as we remove it must not keep us here.
constexpr int most_attempts = 20;

Error cannot_write(const fs::path& path, const std::string& why, const std::string& advice = {}) {
  return Error(fmt::format("cannot write {}: {}", path.string(), why), advice);
}

}  // namespace

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
      return exhaustion_advice(error_number);
  }
}

Error write_error(const fs::path& path, int error_number) {
  return cannot_write(path, error_text(error_number), write_advice(error_number));
}

FileDescriptor create_own_file(const fs::path& path, mode_t mode) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    FileDescriptor file(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file) return file;
    if (errno != EEXIST) throw write_error(path, errno);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      const int reason = errno;
      throw cannot_write(
          path,
          fmt::format("something is there already and cannot be removed: {}", error_text(reason)),
          "remove it, or use another directory");
    }
  }
  throw cannot_write(path, "another process makes it again and again",
                     "use a directory that only you can write to");
}

FileDescriptor open_own_file(const fs::path& path, int flags, mode_t mode) {
  // A pipe without a reader would keep us waiting.
  FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, mode));
  if (!file && errno == ELOOP)
    throw cannot_write(path, "it is a symbolic link", "remove it, or use another directory");
  if (!file) throw write_error(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw write_error(path, errno);
  if (!S_ISREG(status.st_mode))
    throw cannot_write(path, "it is not a plain file", "remove it, or use another directory");
  if (status.st_uid != ::geteuid() || status.st_nlink != 1)
    throw cannot_write(path,
                       status.st_uid != ::geteuid()
                           ? fmt::format("it belongs to another user (uid {})", status.st_uid)
                           : "it has another name elsewhere (a hard link)",
                       "remove it, or use another directory");
  return file;
}

void check_directory_owner(const fs::path& directory) {
  for (const int flags : {0, AT_SYMLINK_NOFOLLOW}) {
    struct stat status {};
    if (::fstatat(AT_FDCWD, directory.c_str(), &status, flags) != 0)
      throw write_error(directory, errno);
    if (status.st_uid != ::geteuid() && status.st_uid != 0)
      throw cannot_write(directory,
                         fmt::format("it belongs to another user (uid {})", status.st_uid),
                         "use a directory of your own, or run prengdl as that user");
  }
}

void make_own_directory(const fs::path& base, const fs::path& below) {
  fs::path path = base;
  for (const auto& part : below) {
    path /= part;
    if (::mkdir(path.c_str(), 0755) == 0) continue;
    if (errno != EEXIST) throw write_error(path, errno);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) throw write_error(path, errno);
    if (!S_ISDIR(status.st_mode))
      throw cannot_write(path,
                         S_ISLNK(status.st_mode) ? "it is a symbolic link" : "it is no directory",
                         "remove it, or use another directory");
    check_directory_owner(path);
  }
}

FileDescriptor open_below(const fs::path& root, const fs::path& path, int flags, mode_t mode) {
  FileDescriptor directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const fs::path parents = path.parent_path();
  for (const auto& part : parents) {
    if (!directory) return directory;
    if (part == "..") {
      errno = ELOOP;
      return {};
    }
    directory = FileDescriptor(
        ::openat(directory.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!directory) return directory;
  return FileDescriptor(
      ::openat(directory.get(), path.filename().c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode));
}

void replace_file(const fs::path& path, const std::string& text, Durability durability) {
  fs::path aside = path;
  aside += ".part";
  {
    const FileDescriptor file = create_own_file(aside);
    try {
      if (const int reason = write_fully(file, text.data(), text.size()))
        throw write_error(aside, reason);
      if (durability == Durability::durable && ::fsync(file.get()) != 0)
        throw write_error(aside, errno);
      put_in_place(aside, path, durability);
    } catch (...) {
      ::unlink(aside.c_str());
      throw;
    }
  }
}

void put_in_place(const fs::path& aside, const fs::path& path, Durability durability) {
  if (std::rename(aside.c_str(), path.c_str()) != 0) throw write_error(path, errno);
  if (durability == Durability::durable)
    sync_directory(path.has_parent_path() ? path.parent_path() : ".");
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
