// SPDX-License-Identifier: Apache-2.0
//
// Not energy, but what explains it: the clock and the temperature of the processor.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/parse.h"
#include "meters/sources.h"
#include "meters/value_file.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Enough to see the clock sag on one socket or one kind of core, few enough to cost nothing.
constexpr std::size_t most_frequencies = 4;

void add(FoundMeters& found, MeterInfo info) {
  info.kind = Kind::gauge;
  info.quality = Quality::chip;
  info.counted = Counted::channel;
  auto file = ValueFile::open(info.source);
  if (!file)
    found.left_out.push_back({info.id, file.error().what(), file.error().hint});
  else if (const auto status = file->read().status; status != ReadStatus::ok)
    found.left_out.push_back({info.id, fmt::format("{}: {}", info.source, name_of(status)), ""});
  else
    found.meters.push_back(std::make_unique<FileMeter>(std::move(info), std::move(*file)));
}

/// CPUs evenly over the list, each on a core of its own.
std::vector<int> spread(const Directory& cpus, const std::vector<int>& all) {
  std::vector<int> chosen;
  std::set<int> cores;
  for (std::size_t i = 0; i < most_frequencies; ++i) {
    // The sibling threads of a core share its clock, so the next few are tried.
    const std::size_t first = i * all.size() / most_frequencies;
    for (std::size_t at = first; at < std::min(first + most_frequencies, all.size()); ++at) {
      const auto siblings =
          parse_cpu_list(cpus.attribute(fmt::format("cpu{}/topology/thread_siblings_list", all[at]))
                             .value_or(std::to_string(all[at])));
      const int core = siblings.empty() ? all[at] : siblings.front();
      if (!cores.insert(core).second) continue;
      chosen.push_back(all[at]);
      break;
    }
  }
  return chosen;
}

void find_frequencies(const fs::path& root, FoundMeters& found) {
  const fs::path path = root / "sys/devices/system/cpu";
  const Directory cpus(path);
  const auto online = parse_cpu_list(cpus.attribute("online").value_or(""));
  // Where the kernel does not govern the clock, as in most guests, no CPU shows it.
  if (online.empty() || !cpus.has(fmt::format("cpu{}/cpufreq", online.front()))) return;
  for (const int cpu : spread(cpus, online)) {
    const fs::path file = path / fmt::format("cpu{}/cpufreq/scaling_cur_freq", cpu);
    if (std::error_code none; !fs::exists(file, none)) continue;
    MeterInfo info;
    info.id = fmt::format("cpufreq/cpu{}", cpu);
    info.name = fmt::format("clock of CPU {}", cpu);
    info.domain = "cpu_frequency";
    info.source = file.string();
    info.unit = Unit::hertz;
    info.step = 1000;
    info.period = Seconds{1};
    // Before Linux 5.18 the kernel sleeps 20 ms to measure the clock of an idle CPU.
    info.may_block = true;
    add(found, std::move(info));
  }
}

MeterInfo temperature(std::string id, std::string name, const fs::path& file) {
  MeterInfo info;
  info.id = std::move(id);
  info.name = std::move(name);
  info.domain = "cpu_temperature";
  info.source = file.string();
  info.unit = Unit::celsius;
  info.step = 1e-3;
  info.period = Seconds{0.5};
  return info;
}

/// Whether a sensor of this chip speaks for the whole processor.
bool is_of_package(const std::string& chip, const std::string& label) {
  if (chip == "coretemp")
    return label.starts_with("Package id") || label.starts_with("Physical id");
  if (chip == "k10temp" || chip == "zenpower") return label == "Tctl";
  return false;
}

void find_chip_temperatures(const fs::path& root, FoundMeters& found) {
  const fs::path directory = root / "sys/class/hwmon";
  int sockets = 0;
  for (const auto& entry : list_directory(directory)) {
    const auto chip = read_attribute(directory / entry / "name");
    if (chip != "coretemp" && chip != "k10temp" && chip != "zenpower") continue;
    for (const auto& file : list_directory(directory / entry)) {
      if (!file.starts_with("temp") || !file.ends_with("_label")) continue;
      const auto label = read_attribute(directory / entry / file);
      if (!label || !is_of_package(*chip, *label)) continue;
      const std::string input = file.substr(0, file.size() - 5) + "input";
      // Every socket of an AMD machine calls its sensor Tctl: counted in the order of the sockets.
      add(found, temperature(fmt::format("hwmon/{}/{}", *chip, sockets++),
                             fmt::format("{} {}", *chip, *label), directory / entry / input));
    }
  }
}

void find_zone_temperatures(const fs::path& root, FoundMeters& found) {
  static constexpr std::array<std::string_view, 5> types{"x86_pkg_temp", "cpu-thermal",
                                                         "cpu_thermal", "cpu-therm", "CPU-therm"};
  const fs::path directory = root / "sys/class/thermal";
  for (const auto& zone : list_directory(directory)) {
    const auto type = read_attribute(directory / zone / "type");
    if (!type || std::find(types.begin(), types.end(), *type) == types.end()) continue;
    MeterInfo info = temperature("thermal/" + zone, *type, directory / zone / "temp");
    info.may_block = true;  // on many boards the firmware is asked
    add(found, std::move(info));
  }
}

}  // namespace

FoundMeters find_cpu_channels(const MeterSearch& search) {
  FoundMeters found;
  find_frequencies(search.root, found);
  const std::size_t before = found.meters.size();
  find_chip_temperatures(search.root, found);
  if (found.meters.size() == before) find_zone_temperatures(search.root, found);
  return found;
}

}  // namespace prengdl
