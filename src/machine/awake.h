// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/files.h"

namespace prengdl {

/// In a guest an idle CPU is halted, and to wake it takes the hypervisor tens of microseconds: as
/// long as the answer to a file that another process serves. As long as this lives, idle CPUs of a
/// guest stay awake, where we may ask for that (root). For the moments before and after the runs,
/// never while energy is measured. Elsewhere it does nothing.
class AwakeCpus {
 public:
  explicit AwakeCpus(const std::filesystem::path& root);
  ~AwakeCpus();
  AwakeCpus(const AwakeCpus&) = delete;
  AwakeCpus& operator=(const AwakeCpus&) = delete;

 private:
  FileDescriptor request_;  // holds while it is open
  bool is_by_helper_ = false;
};

}  // namespace prengdl
