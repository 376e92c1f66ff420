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
