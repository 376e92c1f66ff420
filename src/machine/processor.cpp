// SPDX-License-Identifier: Apache-2.0
//
// The processor and how its clock is governed.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"
#include "machine/machine.h"

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
int count_sockets(const Directory& cpus, const std::vector<int>& online) {
  std::set<int> left(online.begin(), online.end());
  int sockets = 0;
  while (!left.empty()) {
    const int cpu = *left.begin();
    const Directory topology = cpus / fmt::format("cpu{}/topology", cpu);
    auto package = topology.attribute("package_cpus_list");
    if (!package) package = topology.attribute("core_siblings_list");
    if (!package) return 0;
    for (const int sibling : parse_cpu_list(*package)) left.erase(sibling);
    left.erase(cpu);
    ++sockets;
  }
  return sockets;
}

/// Where the clocks are governed, as paths below the directory of the CPUs: a server has hundreds.
std::vector<std::string> frequency_policies(const Directory& cpus) {
  std::vector<std::string> policies;
  for (const auto& name : (cpus / "cpufreq").names())
    if (name.starts_with("policy")) policies.push_back("cpufreq/" + name);
  if (!policies.empty()) return policies;
  for (const auto& name : cpus.names())
    if (name.starts_with("cpu") && parse_integer(std::string_view(name).substr(3)))
      policies.push_back(name + "/cpufreq");
  return policies;
}

void insert_sorted(std::vector<std::string>& values, std::string value) {
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  if (at == values.end() || *at != value) values.insert(at, std::move(value));
}

/// The i-th limit of a package; where there is one, the next is another chore. So are name and
/// value: files that are slow to read must not hide a step of a counter.
void read_power_limit(const std::shared_ptr<const Directory>& zone, const std::string& package,
                      int i, std::vector<PowerLimit>& limits, Chores& chores) {
  const auto read_value = [=, &limits, &chores](const std::string& name) {
    const auto limit = zone->integer(fmt::format("constraint_{}_power_limit_uw", i));
    if (limit) limits.push_back({package, name, Watts{static_cast<double>(*limit) * 1e-6}});
    if (!limit && i == 0) return;
    chores.add([=, &limits, &chores] { read_power_limit(zone, package, i + 1, limits, chores); });
  };
  // The kernel gives the limits in the order of their registers: the first is the long-term one.
  if (i == 0) return read_value("long_term");
  if (const auto name = zone->attribute(fmt::format("constraint_{}_name", i)))
    chores.add([=] { read_value(*name); });
}

/// Those of the i-th zone, if it is a package; the kernel numbers zones from 0, psys is one of
/// them.
void read_package_limits(const std::shared_ptr<const Directory>& zones, int i,
                         std::vector<PowerLimit>& limits, Chores& chores) {
  const auto zone = std::make_shared<const Directory>(*zones / fmt::format("intel-rapl:{}", i));
  const auto name = zone->attribute("name");
  if (!name) return;
  if (name->starts_with("package"))
    chores.add([=, &limits, &chores] { read_power_limit(zone, *name, 0, limits, chores); });
  chores.add([=, &limits, &chores] { read_package_limits(zones, i + 1, limits, chores); });
}

std::optional<double> kilohertz(const Directory& clock, const std::string& name) {
  const auto value = clock.integer(name);
  if (!value || *value <= 0) return std::nullopt;
  return static_cast<double>(*value) * 1000;
}

}  // namespace

void add_power_limit_chores(const fs::path& root, std::vector<PowerLimit>& limits, Chores& chores) {
  chores.add([=, &limits, &chores] {
    auto zones =
        std::make_shared<const Directory>(root / "sys/devices/virtual/powercap/intel-rapl");
    if (!*zones) zones = std::make_shared<const Directory>(root / "sys/class/powercap");
    if (*zones) read_package_limits(zones, 0, limits, chores);
  });
}

CpuFacts read_cpu(const fs::path& root, std::string_view processor) {
  CpuFacts cpu;
  int cores_per_socket = 0;
  for (const auto line : split(processor, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    take(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)), cpu, cores_per_socket);
  }

  const Directory cpus(root / cpu_directory);
  const auto online = parse_cpu_list(cpus.attribute("online").value_or(""));
  if (online.empty()) return cpu;
  cpu.threads = static_cast<int>(online.size());
  if (const int sockets = count_sockets(cpus, online); sockets > 0) {
    cpu.sockets = sockets;
    // On x86 the processor counts its cores itself, right for mixed ones with and without SMT.
    const int per_core = count_cpus(
        cpus.attribute(fmt::format("cpu{}/topology/thread_siblings_list", online.front())));
    if (cores_per_socket > 0)
      cpu.cores = std::min(cores_per_socket * sockets, *cpu.threads);
    else if (per_core > 0)
      cpu.cores = *cpu.threads / per_core;
  }
  if (const auto active = cpus.integer("smt/active")) cpu.smt = *active != 0;
  if (const int nodes = count_cpus(read_attribute(root / "sys/devices/system/node/online")); nodes)
    cpu.numa_nodes = nodes;
  const Directory clock = cpus / fmt::format("cpu{}/cpufreq", online.front());
  cpu.base_hertz = kilohertz(clock, "base_frequency");
  cpu.max_hertz = kilohertz(clock, "cpuinfo_max_freq");
  return cpu;
}

void add_frequency_chores(const fs::path& root, FrequencyFacts& frequency, Chores& chores) {
  chores.add([=, &frequency, &chores] {
    const auto cpus = std::make_shared<const Directory>(root / cpu_directory);
    if (const auto no_turbo = cpus->integer("intel_pstate/no_turbo"))
      frequency.turbo = *no_turbo == 0;
    else if (const auto boost = cpus->integer("cpufreq/boost"))
      frequency.turbo = *boost != 0;
    // Where one policy has no preference none has.
    const auto has_preference = std::make_shared<bool>(true);
    for (const auto& name : frequency_policies(*cpus))
      chores.add([=, &frequency] {
        const Directory policy = *cpus / name;
        if (!policy) return;
        if (auto governor = policy.attribute("scaling_governor"))
          insert_sorted(frequency.governors, std::move(*governor));
        if (!frequency.driver) frequency.driver = policy.attribute("scaling_driver");
        if (!*has_preference) return;
        auto preference = policy.attribute("energy_performance_preference");
        *has_preference = preference.has_value();
        if (preference) insert_sorted(frequency.preferences, std::move(*preference));
      });
  });
}

}  // namespace prengdl
