// SPDX-License-Identifier: Apache-2.0
//
// The processor and how its clock is governed.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "run/machine.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

const char* const cpu_directory = "sys/devices/system/cpu";

/// How often the kernel's lists of CPUs name one.
int count_cpus(const std::optional<std::string>& list) {
  return list ? static_cast<int>(parse_cpu_list(*list).size()) : 0;
}

std::optional<int> as_int(std::string_view text) {
  const auto value = parse_integer(text);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

/// Takes one "key : value" line of /proc/cpuinfo.
void take(std::string_view key, std::string_view value, CpuFacts& cpu, int& cores_per_socket) {
  if (key == "model name") cpu.model_name = std::string(value);
  if (key == "vendor_id" || key == "CPU implementer") cpu.vendor = std::string(value);
  if (key == "cpu family" || key == "CPU architecture") cpu.family = as_int(value);
  if (key == "model") cpu.model = as_int(value);
  if (key == "stepping" || key == "CPU revision") cpu.stepping = as_int(value);
  if (key == "microcode") cpu.microcode = std::string(value);
  if (key == "cpu cores") cores_per_socket = as_int(value).value_or(0);
  if (key == "CPU part" && !cpu.model_name) cpu.model_name = "Arm part " + std::string(value);
  if (key == "flags") {
    const auto flags = words(value);
    cpu.has_sgx = std::find(flags.begin(), flags.end(), "sgx") != flags.end();
  }
}

/// Counts sockets by reading the list of one CPU of each, not the files of all CPUs.
int count_sockets(const fs::path& cpus, const std::vector<int>& online) {
  std::set<int> left(online.begin(), online.end());
  int sockets = 0;
  while (!left.empty()) {
    const int cpu = *left.begin();
    const fs::path topology = cpus / fmt::format("cpu{}/topology", cpu);
    auto package = read_attribute(topology / "package_cpus_list");
    if (!package) package = read_attribute(topology / "core_siblings_list");
    if (!package) return 0;
    for (const int sibling : parse_cpu_list(*package)) left.erase(sibling);
    left.erase(cpu);
    ++sockets;
  }
  return sockets;
}

std::vector<fs::path> frequency_policies(const fs::path& cpus) {
  std::vector<fs::path> policies;
  for (const auto& name : list_directory(cpus / "cpufreq"))
    if (name.starts_with("policy")) policies.push_back(cpus / "cpufreq" / name);
  if (!policies.empty()) return policies;
  for (const auto& name : list_directory(cpus))
    if (name.starts_with("cpu") && parse_integer(std::string_view(name).substr(3)))
      policies.push_back(cpus / name / "cpufreq");
  return policies;
}

std::vector<PowerLimit> read_power_limits(const fs::path& root) {
  std::vector<PowerLimit> limits;
  const fs::path zones = root / "sys/class/powercap";
  for (const auto& entry : list_directory(zones)) {
    // Packages have one colon in their entry, the parts of a package two.
    if (!entry.starts_with("intel-rapl:") || entry.find(':') != entry.rfind(':')) continue;
    const auto zone = read_attribute(zones / entry / "name");
    if (!zone || !zone->starts_with("package")) continue;
    for (int i = 0;; ++i) {
      const auto name = read_attribute(zones / entry / fmt::format("constraint_{}_name", i));
      if (!name) break;
      const auto limit =
          read_integer(zones / entry / fmt::format("constraint_{}_power_limit_uw", i));
      if (!limit) continue;
      PowerLimit found{*zone, *name, Watts{static_cast<double>(*limit) * 1e-6}, std::nullopt};
      if (const auto window =
              read_integer(zones / entry / fmt::format("constraint_{}_time_window_us", i)))
        found.window = Seconds{static_cast<double>(*window) * 1e-6};
      limits.push_back(std::move(found));
    }
  }
  return limits;
}

std::optional<double> kilohertz(const fs::path& file) {
  const auto value = read_integer(file);
  if (!value || *value <= 0) return std::nullopt;
  return static_cast<double>(*value) * 1000;
}

}  // namespace

CpuFacts read_cpu(const fs::path& root) {
  CpuFacts cpu;
  int cores_per_socket = 0;
  const auto first = read_head(root / "proc/cpuinfo", "\n\n").value_or("");
  for (const auto line : split(first, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    take(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)), cpu, cores_per_socket);
  }

  const fs::path cpus = root / cpu_directory;
  const auto online = parse_cpu_list(read_attribute(cpus / "online").value_or(""));
  if (online.empty()) return cpu;
  cpu.threads = static_cast<int>(online.size());
  if (const int sockets = count_sockets(cpus, online); sockets > 0) {
    cpu.sockets = sockets;
    // On x86 the processor counts its cores itself, right for mixed ones with and without SMT.
    const fs::path topology = cpus / fmt::format("cpu{}/topology", online.front());
    const int per_core = count_cpus(read_attribute(topology / "thread_siblings_list"));
    if (cores_per_socket > 0)
      cpu.cores = std::min(cores_per_socket * sockets, *cpu.threads);
    else if (per_core > 0)
      cpu.cores = *cpu.threads / per_core;
  }
  if (const auto active = read_integer(cpus / "smt/active")) cpu.smt = *active != 0;
  if (const int nodes = count_cpus(read_attribute(root / "sys/devices/system/node/online")); nodes)
    cpu.numa_nodes = nodes;
  const fs::path clock = cpus / fmt::format("cpu{}/cpufreq", online.front());
  cpu.base_hertz = kilohertz(clock / "base_frequency");
  cpu.max_hertz = kilohertz(clock / "cpuinfo_max_freq");
  return cpu;
}

FrequencyFacts read_frequency(const fs::path& root) {
  FrequencyFacts frequency;
  const fs::path cpus = root / cpu_directory;
  std::set<std::string> governors;
  std::set<std::string> preferences;
  bool has_preference = true;
  for (const auto& policy : frequency_policies(cpus)) {
    if (auto governor = read_attribute(policy / "scaling_governor")) governors.insert(*governor);
    if (!frequency.driver) frequency.driver = read_attribute(policy / "scaling_driver");
    if (!has_preference) continue;
    const auto preference = read_attribute(policy / "energy_performance_preference");
    has_preference = preference.has_value();
    if (preference) preferences.insert(*preference);
  }
  frequency.governors.assign(governors.begin(), governors.end());
  frequency.preferences.assign(preferences.begin(), preferences.end());
  if (const auto no_turbo = read_integer(cpus / "intel_pstate/no_turbo"))
    frequency.turbo = *no_turbo == 0;
  else if (const auto boost = read_integer(cpus / "cpufreq/boost"))
    frequency.turbo = *boost != 0;
  frequency.power_limits = read_power_limits(root);
  return frequency;
}

}  // namespace prengdl
