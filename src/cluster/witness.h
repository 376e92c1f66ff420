// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/files.h"

namespace prengdl {

/// A step of this job that lasts as long as a run and has its id as name, so that the energy
/// accounting of Slurm, which knows steps only, has a figure for it. The step itself sleeps. If it
/// cannot be started, the run has no second witness; nothing else changes.
class WitnessStep {
 public:
  explicit WitnessStep(const std::string& run);
  ~WitnessStep();
  pid_t process() const { return pid_; }  // -1: it could not be started
  WitnessStep(const WitnessStep&) = delete;
  WitnessStep& operator=(const WitnessStep&) = delete;

 private:
  pid_t pid_ = -1;
  FileDescriptor end_;  // closed: the step ends
};

}  // namespace prengdl
