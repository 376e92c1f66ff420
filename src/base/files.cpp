// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/text.h"

namespace prengdl {

void FileDescriptor::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string error_text(int error_number) {
  char buffer[128];
  return strerror_r(error_number, buffer, sizeof buffer);
}

Result<FileDescriptor> open_for_reading(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) return FileDescriptor(fd);
  const int reason = errno;
  return failure(
      "cannot read " + path.string() + ": " + error_text(reason),
      reason == EACCES || reason == EPERM ? "run as root, or let your user read it" : "");
}

Result<std::string> read_bytes(const std::filesystem::path& path) {
  auto file = open_for_reading(path);
  if (!file) return tl::unexpected(file.error());
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(file->get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read " + path.string() + ": " + error_text(errno));
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
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
  while (const dirent* entry = readdir(directory.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end(), natural_less);
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

void write_text(const std::filesystem::path& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) throw Error("cannot write " + path.string() + ": " + error_text(errno));
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(file.get(), text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw Error("cannot write " + path.string() + ": " + error_text(errno));
    done += static_cast<std::size_t>(wrote);
  }
}

}  // namespace prengdl
