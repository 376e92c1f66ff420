// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/this_process.h"
#include "meters/meter.h"

namespace prengdl {

/// Opens a counting perf event for one cpu and gives its descriptor, or -1 and errno.
using PerfEventOpener = std::function<int(std::uint32_t type, std::uint64_t config, int cpu)>;

/// Opens a file of sys/class/KIND/ENTRY that this process itself may not read; errno says why
/// there is none.
using ProtectedOpener = std::function<FileDescriptor(
    const std::string& kind, const std::string& entry, const std::string& attribute)>;

/// Where meters are looked for and what the user said about them.
struct MeterSearch {
  std::filesystem::path root = "/";  // /sys, /proc and /dev below here
  Variables variables;               // CUDA_VISIBLE_DEVICES and similar
  std::vector<std::string> exec;     // commands that print joules or watts (--meter)
  std::vector<std::string> rails;    // LABEL=DOMAIN: what a hwmon rail covers (--rail)
  PerfEventOpener open_perf_event;   // the system call unless given
  ProtectedOpener open_protected;    // a helper that may read what we may not; may be null
  std::string nvml_library = "libnvidia-ml.so.1";
  std::string rocm_library = "librocm_smi64.so";
};

// One function per source, one file each; a new meter is one line here and one in all.cpp.
FoundMeters find_powercap(const MeterSearch& search);
FoundMeters find_perf_event(const MeterSearch& search);
FoundMeters find_nvml(const MeterSearch& search);
FoundMeters find_rocm(const MeterSearch& search);
FoundMeters find_hwmon(const MeterSearch& search);
FoundMeters find_pm_counters(const MeterSearch& search);
FoundMeters find_battery(const MeterSearch& search);
FoundMeters find_exec(const MeterSearch& search);
FoundMeters find_estimate(const MeterSearch& search);
FoundMeters find_cpu_channels(const MeterSearch& search);  // frequency and temperature

/// All sources together: perf_event only where powercap is not readable, the estimate only where
/// there is nothing else, each joule once.
FoundMeters find_all(const MeterSearch& search);

/// Throws an Error if the total of a run would lack what is there: a source that could not be
/// opened for want of descriptors or memory, or one of several processors that cannot be read.
void refuse_incomplete(const FoundMeters& found);

/// How often a processor's energy counter is worth a read. What is counted is read at every tick; a
/// part inside another domain (cores, uncore) only explains it, and at 1000 samples per second each
/// counter takes 1 to 3 % of a busy core's work: 100 times per second must do.
constexpr Seconds counter_period(Counted counted) {
  return counted == Counted::inside ? Seconds{0.01} : Seconds{0};
}

/// Whether it is worth looking for a vendor's library: it was named by its path or may lie in
/// LD_LIBRARY_PATH, or one of the driver's `traces` is below the root. Looking for one that is not
/// there takes a fifth of the time that a whole measurement adds to a command.
bool may_have_library(const MeterSearch& search, const std::string& library,
                      std::initializer_list<std::string_view> traces);

/// Whether libraries of GPUs may be there and find_all will load them.
bool may_have_nvml(const MeterSearch& search);
bool may_have_rocm(const MeterSearch& search);

}  // namespace prengdl
