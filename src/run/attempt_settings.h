// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "base/chores.h"
#include "base/process.h"
#include "base/units.h"
#include "model/meter_info.h"
#include "run/power_now.h"
#include "run/sample_log.h"

namespace prengdl {

/// Where the standard output and error of a workload go.
struct OutputChoice {
  enum class To { shown, hidden, kept };
  To to = To::shown;
  bool results_on_stdout = false;   // then the workload's stdout is shown on stderr
  std::filesystem::path directory;  // kept: run-N.stdout and run-N.stderr in it
  bool is_of_one_run = false;       // kept: they are called stdout and stderr
};

/// How one run is made. The meters must outlive it.
struct AttemptSettings {
  Launch launch;
  OutputChoice output;
  Seconds interval{0.01};
  std::optional<Seconds> timeout;
  std::filesystem::path root = "/";
  std::filesystem::path scratch;  // for the event file; the system's when empty
  int signals = -1;               // a signalfd; -1: signals are not ours to handle
  std::function<std::vector<unsigned>()>
      gpu_processes;         // that compute on our GPUs now; may be null
  Chores* chores = nullptr;  // to be done meanwhile; may be null
  std::vector<pid_t> spare;  // children of ours that are not the workload's
  /// Called when the workload's process is made, before it starts. May be null.
  std::function<void(pid_t group, const std::filesystem::path& events)> made;
  /// Called with all samples when the run has been evaluated. May be null.
  std::function<void(const std::vector<const MeterInfo*>& meters, SampleLog&& samples)>
      keep_samples;
  std::size_t number = 0;  // of the run, for the names of kept files
};

/// Called a few times a second while a run lasts, with what it draws if that is known.
using WhileRunning = std::function<void(Seconds elapsed, const std::optional<Power>& power)>;

}  // namespace prengdl
