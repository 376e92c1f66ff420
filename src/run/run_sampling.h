// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/process.h"
#include "model/run.h"
#include "run/attempt_settings.h"
#include "run/lanes.h"
#include "run/power_now.h"
#include "run/sample_log.h"
#include "run/sampler.h"

namespace prengdl {

/// The sampling of a run, from the first readings until after its exit. What it is given must
/// outlive it.
class RunSampling {
 public:
  RunSampling(const AttemptSettings& settings, const Lanes& lanes, WaitingChild& child,
              const WhileRunning& progress);

  /// Lets the workload go and samples it until it has exited. `done` is an event descriptor.
  void follow(int done, Run& run);

  /// The times and the number of samples, when the run is over.
  void count(Run& run);

  const QuickLane& quick() const { return quick_; }
  SampleLog& samples() { return samples_; }

 private:
  class RunThread;
  void take_first(RunThread& patient_thread);
  void follow_long(int done, Run& run);
  void collect();

  const AttemptSettings& settings_;
  WaitingChild& child_;
  const WhileRunning& progress_;
  SampleLog samples_;
  QuickLane quick_;
  PatientLane patient_;
  PowerNow power_;
};

}  // namespace prengdl
