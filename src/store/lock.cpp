// SPDX-License-Identifier: Apache-2.0
#include "store/lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <vector>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/own_files.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "base/this_process.h"

namespace prengdl {
namespace {

/// The arguments that this program was started with, without its own name.
std::string command_line() {
  const auto text = read_optional("/proc/self/cmdline");
  if (!text) return "";
  std::vector<std::string> arguments;
  for (const auto part : split(*text, '\0')) arguments.emplace_back(part);
  if (!arguments.empty()) arguments.erase(arguments.begin());
  if (!arguments.empty() && arguments.back().empty()) arguments.pop_back();  // after the last zero
  return shell_line(arguments);
}

/// A value stays on its line.
std::string lock_text() {
  return fmt::format("pid {}\nhost {}\nsince {}\ncommand {}\n", getpid(), printable(host_name()),
                     utc_now(), printable(command_line()));
}

/// Gives the errno of a lock that cannot be had, 0 if it is ours now.
int try_lock(const FileDescriptor& file) {
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

Error in_use(const std::filesystem::path& directory) {
  return Error(fmt::format("{} is in use by {}", directory.string(),
                           holder_of(read_optional(directory / "lock").value_or(""))),
               "Wait until it has finished, or use another directory with -o.");
}

/// Whether the path leads to the file that is open. A file that is open keeps its number.
bool is_same_file(const FileDescriptor& open, const std::filesystem::path& path) {
  struct stat held {
  }, found{};
  return ::fstat(open.get(), &held) == 0 && ::stat(path.c_str(), &found) == 0 &&
         held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

}  // namespace

std::string holder_of(const std::string& lock_text) {
  std::map<std::string, std::string, std::less<>> values;
  for (const auto line : split(lock_text, '\n')) {
    const auto space = line.find(' ');
    if (space != std::string_view::npos)
      values.emplace(line.substr(0, space), printable(line.substr(space + 1)));
  }
  if (values["pid"].empty()) return "another process";
  std::string holder = "prengdl " + values["pid"];
  if (!values["command"].empty()) holder += " (" + shortened(values["command"], 200) + ")";
  if (!values["host"].empty()) holder += " on " + values["host"];
  if (!values["since"].empty()) holder += " since " + values["since"];
  return holder;
}

ResultLock::ResultLock(const std::filesystem::path& directory) : directory_(directory) {
  const auto path = directory / "lock";
  self_ = FileDescriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!self_) throw write_error(directory, errno);
  // A user who may not write here need not wait for another who does.
  if (::faccessat(AT_FDCWD, directory.c_str(), W_OK, AT_EACCESS) != 0)
    throw write_error(path, errno);
  // Some network file systems lock only what is open for writing. There the file has to do.
  if (try_lock(self_) == EWOULDBLOCK) throw in_use(directory);
  file_ = open_own_file(path);
  if (const int reason = try_lock(file_)) {
    file_.close();
    if (reason == EWOULDBLOCK) throw in_use(directory);
    throw Error(fmt::format("cannot lock {}: {}", path.string(), error_text(reason)),
                "use a directory on a file system that has locks");
  }
  // For the message above only: on a full disk the lock still holds.
  const std::string text = lock_text();
  [[maybe_unused]] const bool is_emitted =
      ::ftruncate(file_.get(), 0) == 0 &&
      ::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

bool ResultLock::has_directory() const { return is_same_file(self_, directory_); }

bool ResultLock::has_file() const { return is_same_file(file_, directory_ / "lock"); }

ResultLock::~ResultLock() {
  // The file stays: removing it would let two processes lock two files of the same name.
  if (file_) [[maybe_unused]]
    const int ignored = ::ftruncate(file_.get(), 0);
}

}  // namespace prengdl
