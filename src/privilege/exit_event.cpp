// SPDX-License-Identifier: Apache-2.0
#include "privilege/exit_event.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace prengdl {

FileDescriptor open_exit_event(pid_t process) noexcept {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;  // counts nothing: only its side-band records matter
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.task = 1;  // fork and exit
  attributes.sample_type = PERF_SAMPLE_TIME;
  attributes.sample_id_all = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return FileDescriptor(static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, process, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace prengdl
