// SPDX-License-Identifier: Apache-2.0
#include "machine/awake.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>

#include "privilege/helper.h"

namespace prengdl {

AwakeCpus::AwakeCpus(const std::filesystem::path& root) {
  // The driver of guests. On real hardware nothing is gained and all CPUs would draw more.
  if (read_attribute(root / "sys/devices/system/cpu/cpuidle/current_driver") != "haltpoll") return;
  request_ = FileDescriptor(::open((root / "dev/cpu_dma_latency").c_str(), O_WRONLY | O_CLOEXEC));
  if (!request_ && root == "/" && root_helper()) is_by_helper_ = root_helper()->keep_awake(true);
  if (!request_) return;
  const std::int32_t microseconds = 0;  // the longest that a CPU may take to wake
  if (::write(request_.get(), &microseconds, sizeof microseconds) != sizeof microseconds)
    request_.close();
}

AwakeCpus::~AwakeCpus() {
  if (is_by_helper_) root_helper()->keep_awake(false);
}

}  // namespace prengdl
