// SPDX-License-Identifier: Apache-2.0
#include "serve/token_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/files.h"
#include "base/strings.h"
#include "serve/access.h"

namespace prengdl {
namespace {

constexpr std::size_t shortest_token = 20;  // characters: of base64 that is 120 bits
constexpr std::size_t longest_token = 512;

/// What RFC 6750 allows in `Authorization: Bearer`.
bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
         std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

std::string create_token(const std::filesystem::path& path, const std::string& name) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const auto refuse = [&](int reason) {
    return Error(fmt::format("cannot create the token file {}: {}", name, error_text(reason)),
                 "name a file in a directory that you can write to");
  };
  if (!file) throw refuse(errno);
  std::string token = new_token();
  const std::string line = token + "\n";
  errno = EIO;
  if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    const int reason = errno;
    ::unlink(path.c_str());
    throw refuse(reason);
  }
  return token;
}

/// The group may read it (a Prometheus that runs as another user), everybody else may not.
void check_owner_and_mode(const FileDescriptor& file, const std::string& name) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0)
    throw Error(fmt::format("cannot read the token file {}: {}", name, error_text(errno)));
  if (!S_ISREG(status.st_mode))
    throw Error(fmt::format("the token file {} is not a regular file", name),
                "name a file that holds the token, or one that does not exist yet");
  if (status.st_uid != geteuid() && status.st_uid != 0)
    throw Error(fmt::format("the token file {} belongs to another user, who can change it", name),
                "name a file of your own");
  if ((status.st_mode & (S_IWGRP | S_IRWXO)) != 0)
    throw Error(
        fmt::format("other users can read or change the token file {} (mode {:04o})", name,
                    status.st_mode & 07777U),
        fmt::format("run `chmod 600 {}`, and replace the token if it may have been read", name));
}

}  // namespace

std::string token_in(const std::filesystem::path& path) {
  const std::string name = printable(path.string());
  // Not blocking: to open a pipe would wait for somebody to write into it.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno == ENOENT) return create_token(path, name);
  if (!file)
    throw Error(fmt::format("cannot read the token file {}: {}", name, error_text(errno)),
                "name a file that you can read, or one that does not exist yet");
  check_owner_and_mode(file, name);
  std::array<char, 2 * longest_token> bytes{};
  const ssize_t count = ::read(file.get(), bytes.data(), bytes.size());
  if (count < 0)
    throw Error(fmt::format("cannot read the token file {}: {}", name, error_text(errno)));
  const auto token = trimmed({bytes.data(), static_cast<std::size_t>(count)});
  const char* remedy = "remove the file: `serve` then creates it with a new token";
  if (token.size() < shortest_token || token.size() > longest_token)
    throw Error(fmt::format("the token in {} has {}; a token has {} to {}", name,
                            counted(token.size(), "character"), shortest_token, longest_token),
                remedy);
  if (!std::all_of(token.begin(), token.end(), is_token_character))
    throw Error(fmt::format("the token in {} holds other characters than letters, digits and "
                            "-._~+/=",
                            name),
                remedy);
  return std::string(token);
}

}  // namespace prengdl
