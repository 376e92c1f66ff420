// SPDX-License-Identifier: Apache-2.0
#include "base/limits.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "base/files.h"

namespace prengdl {
namespace {

constexpr rlim_t wanted_files = 4096;  // a server with 256 cores and 16 GPUs takes some 600
constexpr int files_of_a_run = 24;

rlimit files_before{};
bool files_are_raised = false;

constexpr rlim_t highest_priority = 40;  // 20 minus a niceness of -20

rlimit priority_before{};
bool priority_is_raised = false;

}  // namespace

void allow_open_files() {
  rlimit limit{};
  if (files_are_raised || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  files_before = limit;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, wanted_files));
  if (limit.rlim_cur == files_before.rlim_cur) return;
  files_are_raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

void restore_open_files() noexcept {
  if (files_are_raised) setrlimit(RLIMIT_NOFILE, &files_before);
}

void require_open_files() {
  std::vector<FileDescriptor> taken;
  FileDescriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int reason = null ? 0 : errno;
  for (int i = 0; i < files_of_a_run && reason == 0; ++i) {
    taken.emplace_back(fcntl(null.get(), F_DUPFD_CLOEXEC, 0));
    if (!taken.back()) reason = errno;
  }
  if (reason != 0)
    throw Error("cannot open the files that a run needs: " + error_text(reason),
                exhaustion_advice(reason));
}

void allow_high_priority() noexcept {
  if (getrlimit(RLIMIT_NICE, &priority_before) != 0) return;
  const rlimit raised{highest_priority, std::max(highest_priority, priority_before.rlim_max)};
  priority_is_raised = setrlimit(RLIMIT_NICE, &raised) == 0;
}

void forbid_high_priority(pid_t child) noexcept {
  if (priority_is_raised) prlimit(child, RLIMIT_NICE, &priority_before, nullptr);
}

}  // namespace prengdl
