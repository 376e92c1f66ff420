// SPDX-License-Identifier: Apache-2.0
#include "environments/lock_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/parse.h"

namespace prengdl {
namespace {

constexpr std::chrono::milliseconds look_again{200};

}  // namespace

EnvironmentLockFile::EnvironmentLockFile(const std::filesystem::path& environment, IfTaken if_taken,
                                         const std::function<void(long)>& waiting) {
  const auto path = environment.parent_path() / ("." + environment.filename().string() + ".lock");
  // Not closed on exec: the tools hold it with us. Never removed: a waiting process has it open.
  file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0644));
  if (!file_)
    throw Error(fmt::format("cannot write {}: {}", path.string(), error_text(errno)),
                "choose another place with --cache DIR");
  while (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK)
      throw Error(fmt::format("cannot lock {}: {}", path.string(), error_text(errno)),
                  "choose a place on a file system that has locks with --cache DIR");
    const auto pid = parse_integer(read_optional(path).value_or("")).value_or(0);
    if (if_taken == IfTaken::refuse)
      throw Error(fmt::format("{} is being made by process {}", environment.string(), pid),
                  "wait until it has ended");
    if (waiting) waiting(static_cast<long>(pid));
    std::this_thread::sleep_for(look_again);
  }
  const auto own = std::to_string(getpid());
  [[maybe_unused]] const int cut = ftruncate(file_.get(), 0);
  [[maybe_unused]] const auto put = pwrite(file_.get(), own.data(), own.size(), 0);
}

}  // namespace prengdl
