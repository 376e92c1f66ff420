// SPDX-License-Identifier: Apache-2.0
//
// Does the processor do the same work at the same speed each time?
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "machine/doctor.h"

namespace prengdl {
namespace {

std::optional<Check> check_governor(const Machine& machine) {
  const auto& governors = machine.frequency.governors;
  if (governors.empty()) {
    // A guest has no governor; its host has.
    if (machine.system.is_virtual) return std::nullopt;
    return Check{"governor", Severity::note,
                 "the kernel does not show what sets the clock (no cpufreq)",
                 "look for a power profile in the firmware settings", ""};
  }
  const auto list = fmt::format("{}", fmt::join(governors, ", "));
  if (governors.size() == 1 && governors.front() == "performance")
    return Check{"governor", Severity::ok, "all CPUs use performance", "", ""};
  return Check{
      "governor", Severity::warning,
      governors.size() == 1
          ? fmt::format("the governor is {}: the clock follows the load, so short runs "
                        "start slow and spread widely",
                        list)
          : fmt::format(
                "CPUs have different governors ({}): the cost of a run depends on which CPUs "
                "happen to cost",
                list),
      "sudo cpupower frequency-set -g performance", "governor-performance"};
}

std::optional<Check> check_turbo(const Machine& machine) {
  if (!machine.frequency.turbo) return std::nullopt;
  if (!*machine.frequency.turbo)
    return Check{"turbo", Severity::ok, "turbo is off: the clock does not depend on heat", "", ""};
  const bool is_intel = machine.frequency.driver.value_or("").starts_with("intel_pstate");
  return Check{"turbo", Severity::note,
               "turbo is on: the clock depends on temperature and on how many cores are busy",
               is_intel
                   ? "for less spread: echo 1 | sudo tee "
                     "/sys/devices/system/cpu/intel_pstate/no_turbo"
                   : "for less spread: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
               ""};
}

std::optional<Check> check_preference(const Machine& machine) {
  const auto& preferences = machine.frequency.preferences;
  if (preferences.empty()) return std::nullopt;
  const auto list = fmt::format("{}", fmt::join(preferences, ", "));
  if (preferences.size() == 1 && preferences.front() == "performance")
    return Check{"energy-preference", Severity::ok, "all CPUs prefer performance", "", ""};
  return Check{"energy-preference", Severity::note,
               fmt::format("the processor's energy preference is {}: it trades speed for power by "
                           "its own judgement",
                           list),
               "set the governor to performance, which sets this too, or state it in the report",
               ""};
}

std::optional<Check> check_smt(const Machine& machine) {
  if (!machine.cpu.smt) return std::nullopt;
  if (!*machine.cpu.smt) return Check{"smt", Severity::ok, "each core runs one thread", "", ""};
  return Check{"smt", Severity::note,
               "two threads share a core (SMT): their placement by the scheduler changes time and "
               "energy",
               "pin the workload (taskset, OMP_PROC_BIND), or echo off | sudo tee "
               "/sys/devices/system/cpu/smt/control",
               ""};
}

std::optional<Check> check_throttling(const DoctorInput& input) {
  if (!input.later.throttles) return std::nullopt;
  if (is_throttled(input.earlier, input.later))
    return Check{"throttling", Severity::warning,
                 "the processor is too hot and slows down right now",
                 "let it cool, and clean its fans", ""};
  if (*input.later.throttles > 0)
    return Check{"throttling", Severity::note,
                 fmt::format("the processor slowed down because of heat since boot (count {})",
                             *input.later.throttles),
                 "watch for runs flagged `throttled`; improve the cooling if there are any", ""};
  return Check{"throttling", Severity::ok, "no thermal throttling since boot", "", ""};
}

std::optional<Check> check_clock_source(const Machine& machine) {
  if (!machine.system.clock_source) return std::nullopt;
  const std::string& source = *machine.system.clock_source;
  // These are read without entering the kernel.
  const bool is_quick = source == "tsc" || source == "kvm-clock" || source == "arch_sys_counter" ||
                        source.starts_with("hyperv_clocksource_tsc");
  if (is_quick) return Check{"clock-source", Severity::ok, source + " is read quickly", "", ""};
  return Check{"clock-source", Severity::warning,
               fmt::format("the kernel's clock is {}: each reading costs a microsecond or more, in "
                           "the workload too",
                           source),
               "find out why the kernel does not use the TSC: dmesg | grep -i tsc", ""};
}

std::vector<Check> check_limits(const Machine& machine) {
  std::vector<Check> checks;
  if (machine.cgroup.cpus)
    checks.push_back({"cpu-quota", Severity::warning,
                      fmt::format("this control group may use {:g} CPUs: the kernel stops a busy "
                                  "workload many times a second to keep that",
                                  *machine.cgroup.cpus),
                      "give whole CPUs instead (docker --cpuset-cpus, AllowedCPUs=), or limit the "
                      "workload's threads to fewer",
                      ""});
  if (machine.cgroup.cpuset)
    checks.push_back({"cpuset", Severity::note,
                      fmt::format("this process may use the CPUs {} only; the meters cover the "
                                  "whole machine",
                                  *machine.cgroup.cpuset),
                      "make sure that nothing else uses the other CPUs", ""});
  return checks;
}

}  // namespace

std::vector<Check> check_processor(const DoctorInput& input) {
  std::vector<Check> checks;
  for (const auto& check :
       {check_governor(input.machine), check_turbo(input.machine), check_preference(input.machine),
        check_smt(input.machine), check_throttling(input), check_clock_source(input.machine)})
    if (check) checks.push_back(*check);
  for (auto& check : check_limits(input.machine)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace prengdl
