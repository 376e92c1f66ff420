// SPDX-License-Identifier: Apache-2.0
//
// The snapshot around each run: few files, each read once.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"
#include "machine/machine.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Heat reaches all cores of a package, so some tell for all, on a machine of any size.
constexpr std::size_t most_throttle_counters = 32;
/// Before Linux 5.18 each of these may take 20 ms on an idle CPU.
constexpr std::size_t most_frequencies = 4;

void read_cpu_times(const fs::path& root, Conditions& conditions) {
  const auto line = read_head(root / "proc/stat", "\n").value_or("");
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; guests are in user.
  const auto fields = words(line);
  if (fields.size() < 9 || fields[0] != "cpu") return;
  const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  double times[8]{};
  double total = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto ticks = parse_number(fields[i + 1]);
    if (!ticks) return;
    times[i] = *ticks / ticks_per_second;
    total += times[i];
  }
  // Interrupts are nobody's: with the network or the disk they come from the workload itself.
  conditions.cpu_busy = Seconds{times[0] + times[1] + times[2]};
  conditions.cpu_total = Seconds{total};
  conditions.cpu_steal = Seconds{times[7]};
}

std::vector<int> evenly(const std::vector<int>& online, std::size_t count) {
  if (online.size() <= count) return online;
  std::vector<int> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(online[i * online.size() / count]);
  return chosen;
}

/// The time that at least one task waited, of "some avg10=0.00 avg60=0.00 avg300=0.00 total=123".
std::optional<Seconds> pressure(const Directory& pressures, const std::string& of) {
  const auto text = pressures.attribute(of);
  if (!text || !text->starts_with("some")) return std::nullopt;
  const auto line = std::string_view(*text).substr(0, text->find('\n'));
  const auto at = line.find("total=");
  if (at == std::string_view::npos) return std::nullopt;
  const auto microseconds = parse_number(line.substr(at + 6));
  if (!microseconds) return std::nullopt;
  return Seconds{*microseconds * 1e-6};
}

void read_throttles(const Directory& cpus, const std::vector<int>& online, Conditions& conditions) {
  for (const int cpu : evenly(online, most_throttle_counters)) {
    const Directory counters = cpus / fmt::format("cpu{}/thermal_throttle", cpu);
    const auto core = counters.integer("core_throttle_count");
    const auto package = counters.integer("package_throttle_count");
    if (!core && !package) return;  // only Intel counts
    const auto count = static_cast<std::uint64_t>(core.value_or(0) + package.value_or(0));
    conditions.throttles = conditions.throttles.value_or(0) + count;
  }
}

void read_lowest_frequency(const Directory& cpus, const std::vector<int>& online,
                           Conditions& conditions) {
  for (const int cpu : evenly(online, most_frequencies)) {
    const auto kilohertz = cpus.integer(fmt::format("cpu{}/cpufreq/scaling_cur_freq", cpu));
    if (!kilohertz) return;
    const double hertz = static_cast<double>(*kilohertz) * 1000;
    conditions.lowest_hertz = std::min(conditions.lowest_hertz.value_or(hertz), hertz);
  }
}

}  // namespace

Conditions read_conditions(const fs::path& root) {
  Conditions conditions;
  const Directory proc(root / "proc");
  read_cpu_times(root, conditions);
  const auto load = proc.attribute("loadavg").value_or("");
  if (const auto fields = words(load); !fields.empty()) conditions.load = parse_number(fields[0]);
  const Directory pressures = proc / "pressure";
  conditions.cpu_pressure = pressure(pressures, "cpu");
  conditions.memory_pressure = pressure(pressures, "memory");
  conditions.io_pressure = pressure(pressures, "io");
  const Directory cpus(root / "sys/devices/system/cpu");
  const auto online = parse_cpu_list(cpus.attribute("online").value_or(""));
  read_throttles(cpus, online, conditions);
  read_lowest_frequency(cpus, online, conditions);
  return conditions;
}

}  // namespace prengdl
