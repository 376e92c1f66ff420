// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/flag.h"

namespace prengdl {

struct CpuFacts {
  std::optional<std::string> model_name;
  std::optional<std::string> vendor;  // "GenuineIntel"; on Arm the implementer, "0x41"
  std::optional<int> family;
  std::optional<int> model;
  std::optional<int> stepping;
  std::optional<std::string> microcode;
  std::optional<int> sockets;
  std::optional<int> cores;
  std::optional<int> threads;  // online
  std::optional<int> numa_nodes;
  std::optional<bool> smt;
  std::optional<double> base_hertz;
  std::optional<double> max_hertz;
  bool has_sgx = false;
};

/// A limit that the package keeps by slowing down.
struct PowerLimit {
  std::string zone;  // "package-0"
  std::string name;  // "long_term"
  Watts limit{};
};

struct FrequencyFacts {
  std::vector<std::string> governors;  // all different ones, sorted
  std::optional<std::string> driver;
  std::vector<std::string> preferences;  // energy_performance_preference, all different ones
  std::optional<bool> turbo;
  std::vector<PowerLimit> power_limits;
};

/// What the control group lets this process use, v1 or v2; nothing where it sets no limit.
struct CgroupLimits {
  std::optional<double> cpus;  // quota over period
  std::optional<std::string> cpuset;
  std::optional<std::uint64_t> memory_bytes;
};

struct MemoryFacts {
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> swap_bytes;
  std::optional<std::uint64_t> swap_used_bytes;
  std::optional<std::string> huge_pages;  // transparent: always, madvise or never
};

struct SystemFacts {
  std::optional<std::string> hostname;
  std::optional<std::string> kernel;
  std::optional<std::string> os;
  std::optional<std::string> vendor;  // DMI or device tree
  std::optional<std::string> product;
  std::optional<std::string> clock_source;
  bool is_virtual = false;
  std::optional<std::string> hypervisor;  // as far as the guest can know
  std::optional<std::string> container;   // docker, podman, apptainer, ...
};

/// What was true of the machine when a run was made. Plain data, recorded with each run.
struct Machine {
  CpuFacts cpu;
  FrequencyFacts frequency;
  CgroupLimits cgroup;
  MemoryFacts memory;
  SystemFacts system;
  std::vector<std::pair<std::string, std::string>> mitigations;  // vulnerability, state
  std::vector<std::pair<std::string, std::string>> environment;  // chosen variables only
};

/// A short word that two machines share only if they are as good as one for measuring: processor,
/// sockets, cores, SMT, memory, GPUs and the machine's name. What changes with an update (kernel,
/// microcode) is not in it.
std::string fingerprint(const Machine& machine, const std::vector<std::string>& gpus);

/// One line of a table.
struct Fact {
  std::string group;
  std::string key;
  std::string value;
};

/// The same in flat form, in a fixed order; what is not known is left out.
std::vector<Fact> facts(const Machine& machine);

/// Whether a variable of the environment is recorded: it steers the speed of a workload, and its
/// name does not look like a secret.
bool is_recorded_variable(std::string_view name);

/// The recorded variables whose names are known in full.
std::span<const std::string_view> known_variables();

/// A cheap snapshot of what may disturb a run, taken before and after it. Times are sums over all
/// CPUs since boot, in steps of 10 ms.
struct Conditions {
  std::optional<Seconds> cpu_busy;  // user and system time of all processes
  std::optional<Seconds> cpu_total;
  std::optional<Seconds> cpu_steal;  // the hypervisor ran someone else
  std::optional<double> load;        // one-minute average
  std::optional<Seconds> cpu_pressure;
  std::optional<Seconds> memory_pressure;
  std::optional<Seconds> io_pressure;
  std::optional<std::uint64_t> throttles;  // thermal, since boot, summed over the CPUs looked at
  std::optional<double> lowest_hertz;      // of the CPUs looked at
};

namespace disturbance {
/// Others may take this share of one CPU: daemons of a quiet machine take 0.1 to 2 %.
constexpr double others_share = 0.05;
/// Three fields of /proc/stat, each cut to 10 ms at both ends, are wrong by up to 30 ms; anything
/// below this cannot be distinguished from that.
constexpr Seconds others_floor{0.05};
/// The kernel charges whole timer ticks to the process that runs at the tick, so the time of a busy
/// workload scatters by about the root of ticks times this length; 4 ms is the common 250 Hz.
constexpr Seconds tick{0.004};
constexpr double tick_deviations = 3;
/// A host that takes more than this share of the guest's CPUs changes run times visibly.
constexpr double steal_share = 0.02;
constexpr Seconds steal_floor{0.05};
/// Below this, steal is a handful of 10 ms steps.
constexpr Seconds steal_shortest_run{1.0};
}  // namespace disturbance

/// CPU time between two snapshots that neither prengdl nor its workload used; never negative.
std::optional<Seconds> cpu_time_of_others(const Conditions& before, const Conditions& after,
                                          Seconds own);

/// More CPU time of others than this disturbs a run that took `wall` and used `own` itself.
Seconds others_limit(Seconds own, Seconds wall);

/// Whether the host took more than the guest can ignore; `cpus` are those of the machine.
bool is_stolen(const Conditions& before, const Conditions& after, Seconds wall, int cpus);

/// Whether the thermal throttle counters rose.
bool is_throttled(const Conditions& before, const Conditions& after);

/// The flags of a run: "disturbed" when others or the host took too much CPU time, "throttled" when
/// the processor slowed down for heat. Thresholds above and in docs/reference/doctor.md.
Flags disturbance_flags(const Conditions& before, const Conditions& after,
                        double own_and_workload_cpu_seconds, Seconds wall, int cpus);

}  // namespace prengdl
