// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "model/event.h"
#include "run/event_file.h"

// Whatever a workload writes costs at most its own lines.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("events", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, 0) != 0 ||
      pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  const auto read = prengdl::read_events(file);
  const auto emitted = prengdl::put_together(read.events, 0, 1'000'000'000);
  for (const auto& span : emitted.spans)
    if (span.begin_ns > span.end_ns || span.begin_ns < 0 || span.end_ns > 1'000'000'000)
      std::abort();
  return 0;
}
