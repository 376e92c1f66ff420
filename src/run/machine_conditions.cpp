// SPDX-License-Identifier: Apache-2.0
//
// The snapshot around each run: few files, each read once.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "run/machine.h"

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

/// The time that at least one task waited, of "some avg10=0.00 avg60=0.00 avg300=0.00 total=123".
std::optional<Seconds> pressure(const fs::path& file) {
  const auto text = read_attribute(file);
  if (!text || !text->starts_with("some")) return std::nullopt;
  const auto line = std::string_view(*text).substr(0, text->find('\n'));
  const auto at = line.find("total=");
  if (at == std::string_view::npos) return std::nullopt;
  const auto microseconds = parse_number(line.substr(at + 6));
  if (!microseconds) return std::nullopt;
  return Seconds{*microseconds * 1e-6};
}

void read_throttles(const fs::path& root, Conditions& conditions) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  for (const int cpu : some_cpus(root, most_throttle_counters)) {
    const fs::path counters = cpus / fmt::format("cpu{}/thermal_throttle", cpu);
    const auto core = read_integer(counters / "core_throttle_count");
    const auto package = read_integer(counters / "package_throttle_count");
    if (!core && !package) return;  // only Intel counts
    const auto count = static_cast<std::uint64_t>(core.value_or(0) + package.value_or(0));
    conditions.throttles = conditions.throttles.value_or(0) + count;
  }
}

void read_lowest_frequency(const fs::path& root, Conditions& conditions) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  for (const int cpu : some_cpus(root, most_frequencies)) {
    const auto kilohertz = read_integer(cpus / fmt::format("cpu{}/cpufreq/scaling_cur_freq", cpu));
    if (!kilohertz) return;
    const double hertz = static_cast<double>(*kilohertz) * 1000;
    conditions.lowest_hertz = std::min(conditions.lowest_hertz.value_or(hertz), hertz);
  }
}

}  // namespace

std::vector<int> some_cpus(const fs::path& root, std::size_t count) {
  auto online = parse_cpu_list(read_attribute(root / "sys/devices/system/cpu/online").value_or(""));
  if (online.size() <= count) return online;
  std::vector<int> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(online[i * online.size() / count]);
  return chosen;
}

Conditions read_conditions(const fs::path& root) {
  Conditions conditions;
  read_cpu_times(root, conditions);
  const auto load = read_attribute(root / "proc/loadavg").value_or("");
  if (const auto fields = words(load); !fields.empty()) conditions.load = parse_number(fields[0]);
  conditions.cpu_pressure = pressure(root / "proc/pressure/cpu");
  conditions.memory_pressure = pressure(root / "proc/pressure/memory");
  conditions.io_pressure = pressure(root / "proc/pressure/io");
  read_throttles(root, conditions);
  read_lowest_frequency(root, conditions);
  return conditions;
}

}  // namespace prengdl
