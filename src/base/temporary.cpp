// SPDX-License-Identifier: Apache-2.0
#include "base/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/limits.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t random_letters = 6;

[[noreturn]] void give_up(const fs::path& directory, int reason) {
  throw Error("cannot make a temporary file in " + directory.string() + ": " + error_text(reason),
              is_exhaustion(reason) ? exhaustion_advice(reason)
                                    : "free some space there, or set TMPDIR to another directory");
}

/// A full disk may still have a name to give, but nothing to put behind it.
void check_room(const FileDescriptor& file, const fs::path& path) {
  const char byte = '\0';
  const int reason = write_fully(file, &byte, 1);
  if (reason == 0 && ::ftruncate(file.get(), 0) == 0 && ::lseek(file.get(), 0, SEEK_SET) == 0)
    return;
  const int last = reason == 0 ? errno : reason;
  ::unlink(path.c_str());
  give_up(path.parent_path(), last);
}

}  // namespace

fs::path temporary_directory() {
  const char* named = std::getenv("TMPDIR");
  fs::path path = named && *named ? named : "/tmp";
  struct stat status {};
  const int reason = ::stat(path.c_str(), &status) != 0 ? errno
                     : S_ISDIR(status.st_mode)          ? 0
                                                        : ENOTDIR;
  if (reason != 0)
    throw Error(
        "there is no directory for temporary files: " + path.string() + ": " + error_text(reason),
        "set TMPDIR to a directory that can be written");
  return path;
}

std::pair<FileDescriptor, fs::path> temporary_file(const fs::path& directory,
                                                   const std::string& name) {
  for (;;) {
    std::string pattern = (directory / (name + "-XXXXXX")).string();
    FileDescriptor file(mkostemp(pattern.data(), O_CLOEXEC));
    if (!file) give_up(directory, errno);
    // Where there are no locks nobody removes leftovers either.
    while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) continue;
    struct stat status {};
    // Until it was locked it looked like a leftover.
    if (::fstat(file.get(), &status) == 0 && status.st_nlink == 0) continue;
    check_room(file, pattern);
    return {std::move(file), std::move(pattern)};
  }
}

FileDescriptor unnamed_file(const fs::path& directory) {
  auto [file, path] = temporary_file(directory, "prengdl-output");
  ::unlink(path.c_str());
  return std::move(file);
}

void remove_dead_files(const fs::path& directory, const std::string& name) noexcept {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  if (!entries) return;
  const int at = dirfd(entries.get());
  while (const dirent* entry = readdir(entries.get())) {
    const std::string_view found = entry->d_name;
    if (found.size() != name.size() + 1 + random_letters || !found.starts_with(name) ||
        found[name.size()] != '-')
      continue;
    const FileDescriptor file(
        ::openat(at, entry->d_name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid())
      continue;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlinkat(at, entry->d_name, 0);
  }
}

bool is_full(const FileDescriptor& file) {
  struct statvfs room {};
  if (!file || ::fstatvfs(file.get(), &room) != 0 || room.f_blocks == 0) return false;
  return (geteuid() == 0 ? room.f_bfree : room.f_bavail) == 0;
}

}  // namespace prengdl
