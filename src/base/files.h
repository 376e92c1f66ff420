// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// Owns a file descriptor and closes it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept;
  /// Gives it up: someone else closes it.
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Opens for reading, close-on-exec. The Error names the file and says why, with advice when the
/// reason is a missing permission or a limit; errno has it too.
Result<FileDescriptor> open_for_reading(const std::filesystem::path& path);

/// As open_for_reading, but only a regular file: a pipe, a socket, a device or a directory is
/// refused by name, and none of them is waited for.
Result<FileDescriptor> open_regular(const std::filesystem::path& path);

/// No text that prengdl reads is larger.
constexpr std::size_t largest_text = std::size_t{64} << 20;

/// The whole content of a regular file, byte for byte. A file of more than `most` bytes is refused.
Result<std::string> read_bytes(const std::filesystem::path& path, std::size_t most = largest_text);

/// The whole text of a file, without the white space at its end. For files of /sys and /proc, whose
/// size is not known before they are read.
Result<std::string> read_text(const std::filesystem::path& path);

/// The text of a file that may be missing.
std::optional<std::string> read_optional(const std::filesystem::path& path);

/// The text of a file of /sys that may be missing; errno has the reason if there is none. Such a
/// file is one value in at most a page, which a single read gives whole: half the system calls of
/// read_text.
std::optional<std::string> read_attribute(const std::filesystem::path& path);

/// The same of a file that is open, or is not, and stays so.
std::optional<std::string> read_attribute(const FileDescriptor& file);

/// The integer that a file of /sys holds; nothing when it is missing or is not an integer.
std::optional<std::int64_t> read_integer(const std::filesystem::path& path);

/// A directory that many small files are read from, of /sys as a rule. Relative to its descriptor a
/// file is found in one step of the path, without putting its name together. Of a directory that is
/// missing everything is missing.
class Directory {
 public:
  explicit Directory(const std::filesystem::path& path);

  explicit operator bool() const noexcept { return static_cast<bool>(self_); }

  /// The directory of this name inside this one; the name may be a path.
  Directory operator/(const std::string& name) const { return Directory(open(name, true)); }

  /// A file of it, for reading; errno has the reason if there is none.
  FileDescriptor file(const std::string& name) const { return open(name, false); }

  /// As read_attribute and read_integer.
  std::optional<std::string> attribute(const std::string& name) const;
  std::optional<std::int64_t> integer(const std::string& name) const;

  bool has(const std::string& name) const;

  /// As list_directory. If there are none, errno says why: 0 if the directory is empty.
  std::vector<std::string> names() const;

 private:
  explicit Directory(FileDescriptor self) : self_(std::move(self)) {}
  FileDescriptor open(const std::string& name, bool as_directory) const;

  FileDescriptor self_;
};

/// Names in a directory in natural order (zone 2 before zone 10); empty when there is none.
std::vector<std::string> list_directory(const std::filesystem::path& path);

/// Writes all bytes: 0, or the errno that stopped it. A file that takes nothing and gives no reason
/// counts as an input/output error.
int write_fully(const FileDescriptor& file, const void* bytes, std::size_t size) noexcept;

/// Whether there is anything of this name. Throws an Error if that cannot be found out, for example
/// because a directory above it may not be searched.
bool is_there(const std::filesystem::path& path);

/// Makes a directory and those above it, as far as they are missing; throws an Error that names it.
void make_directories(const std::filesystem::path& directory);

/// Writes the whole text or throws an Error that names the file.
void write_text(const std::filesystem::path& path, const std::string& text);

/// The words for an errno, e.g. "Permission denied".
std::string error_text(int error_number);

/// Whether an errno of an open or a read says that there is no such file. Anything else says that
/// it may be there.
bool is_absent(int error_number);

/// "cannot read FILE: Permission denied".
std::string cannot_read(const std::filesystem::path& path, int error_number);

/// Whether an errno says that this process or the machine has run out of something (descriptors,
/// memory): what could not be opened may well be there.
bool is_exhaustion(int error_number);

/// What the user can do about such an errno; empty for any other.
const char* exhaustion_advice(int error_number);

}  // namespace prengdl
