// SPDX-License-Identifier: Apache-2.0
#include "store/lock.h"

#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <vector>

#include "base/calendar.h"
#include "base/text.h"
#include "store/durable.h"
#include "store/signature.h"

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

ResultLock::ResultLock(const std::filesystem::path& directory) {
  const auto path = directory / "lock";
  file_ = open_own_file(path);
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    if (reason == EINTR) continue;
    file_.close();
    if (reason != EWOULDBLOCK)
      throw Error(fmt::format("cannot lock {}: {}", path.string(), error_text(reason)),
                  "use a directory on a file system that has locks");
    throw Error(fmt::format("{} is in use by {}", directory.string(),
                            holder_of(read_optional(path).value_or(""))),
                "wait until it is done, or use another directory with -o");
  }
  // For the message above only: on a full disk the lock holds all the same.
  const std::string text = lock_text();
  [[maybe_unused]] const bool is_told =
      ::ftruncate(file_.get(), 0) == 0 &&
      ::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

ResultLock::~ResultLock() {
  // The file stays: removing it would let two processes lock two files of the same name.
  if (file_) [[maybe_unused]]
    const int ignored = ::ftruncate(file_.get(), 0);
}

}  // namespace prengdl
