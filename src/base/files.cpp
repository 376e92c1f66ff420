// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {

void FileDescriptor::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string error_text(int error_number) {
  char buffer[128];
  return strerror_r(error_number, buffer, sizeof buffer);
}

bool is_absent(int error_number) { return error_number == ENOENT || error_number == ENOTDIR; }

std::string cannot_read(const std::filesystem::path& path, int error_number) {
  return "cannot read " + path.string() + ": " + error_text(error_number);
}

Result<FileDescriptor> open_for_reading(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) return FileDescriptor(fd);
  const int reason = errno;
  Error error(cannot_read(path, reason), reason == EACCES || reason == EPERM
                                             ? "run as root, or let your user read it"
                                             : exhaustion_advice(reason));
  errno = reason;
  return tl::unexpected(std::move(error));
}

Result<FileDescriptor> open_regular(const std::filesystem::path& path) {
  // Without O_NONBLOCK a pipe is waited for until someone writes to it.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno != ENXIO) return open_for_reading(path);  // which says why
  FileDescriptor file(fd);
  struct stat status {};
  if (file && ::fstat(fd, &status) != 0) return failure(cannot_read(path, errno));
  if (file && S_ISREG(status.st_mode)) return file;
  if (file && S_ISDIR(status.st_mode)) return failure(cannot_read(path, EISDIR));
  const bool is_pipe = file && S_ISFIFO(status.st_mode);
  return failure("cannot read " + path.string() + ": it is a " +
                     (is_pipe ? "pipe" : "device or a socket") + ", not a regular file",
                 "name a regular file, or move this one away");
}

Result<std::string> read_bytes(const std::filesystem::path& path, std::size_t most) {
  auto file = open_regular(path);
  if (!file) return tl::unexpected(file.error());
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(file->get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(cannot_read(path, errno));
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most)
      return failure("cannot read " + path.string() + ": it is larger than " +
                     std::to_string(most >> 20) + " MiB");
  }
}

Result<std::string> read_text(const std::filesystem::path& path) {
  auto text = read_bytes(path);
  if (text) text->erase(text->find_last_not_of(" \t\r\n") + 1);
  return text;
}

std::optional<std::string> read_optional(const std::filesystem::path& path) {
  auto text = read_text(path);
  if (!text) return std::nullopt;
  return std::move(*text);
}

namespace {

std::vector<std::string> sorted_names(DIR* stream) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(stream, closedir);
  if (!directory) return names;
  errno = 0;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
    errno = 0;
  }
  const int reason = errno;
  std::sort(names.begin(), names.end(), natural_less);
  errno = reason;
  return names;
}

}  // namespace

std::optional<std::string> read_attribute(const FileDescriptor& file) {
  if (!file) return std::nullopt;
  char page[4096];
  const ssize_t got = ::read(file.get(), page, sizeof page);
  if (got < 0) return std::nullopt;
  return std::string(trimmed({page, static_cast<std::size_t>(got)}));
}

std::optional<std::string> read_attribute(const std::filesystem::path& path) {
  return read_attribute(FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
}

std::optional<std::int64_t> read_integer(const std::filesystem::path& path) {
  const auto text = read_attribute(path);
  return text ? parse_integer(*text) : std::nullopt;
}

Directory::Directory(const std::filesystem::path& path)
    : self_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

FileDescriptor Directory::open(const std::string& name, bool as_directory) const {
  const int flags = as_directory ? O_PATH | O_DIRECTORY : O_RDONLY;
  return FileDescriptor(::openat(self_.get(), name.c_str(), flags | O_CLOEXEC));
}

std::optional<std::string> Directory::attribute(const std::string& name) const {
  return read_attribute(file(name));
}

std::optional<std::int64_t> Directory::integer(const std::string& name) const {
  const auto text = attribute(name);
  return text ? parse_integer(*text) : std::nullopt;
}

bool Directory::has(const std::string& name) const {
  return ::faccessat(self_.get(), name.c_str(), F_OK, 0) == 0;
}

std::vector<std::string> Directory::names() const {
  const int fd = ::openat(self_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? std::vector<std::string>{} : sorted_names(fdopendir(fd));
}

std::vector<std::string> list_directory(const std::filesystem::path& path) {
  return sorted_names(opendir(path.c_str()));
}

int write_fully(const FileDescriptor& file, const void* bytes, std::size_t size) noexcept {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t wrote = ::write(file.get(), at, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    if (wrote == 0) return EIO;
    at += wrote;
    size -= static_cast<std::size_t>(wrote);
  }
  return 0;
}

bool is_there(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return true;
  const int reason = errno;
  if (reason == ENOENT || reason == ENOTDIR) return false;
  throw Error("cannot look at " + path.string() + ": " + error_text(reason),
              reason == EACCES ? "let your user search the directories above it" : "");
}

void make_directories(const std::filesystem::path& directory) {
  std::error_code trouble;
  std::filesystem::create_directories(directory, trouble);
  if (trouble)
    throw Error(
        "cannot make the directory " + directory.string() + ": " + error_text(trouble.value()),
        "choose a directory that your user may write to");
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) throw Error("cannot write " + path.string() + ": " + error_text(errno));
  if (const int reason = write_fully(file, text.data(), text.size()))
    throw Error("cannot write " + path.string() + ": " + error_text(reason));
}

bool is_exhaustion(int error_number) {
  return error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM;
}

const char* exhaustion_advice(int error_number) {
  switch (error_number) {
    case EMFILE:
      return "allow more open files, for example with ulimit -n 1024";
    case ENFILE:
      return "close other programs: the machine has no more open files to give (fs.file-max)";
    case ENOMEM:
      return "free some memory, or allow more";
    case EAGAIN:
      return "allow more processes (ulimit -u, or pids.max of the cgroup), or close other programs";
    default:
      return "";
  }
}

}  // namespace prengdl
