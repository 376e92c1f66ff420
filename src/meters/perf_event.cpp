// SPDX-License-Identifier: Apache-2.0
//
// RAPL as the perf PMU `power` shows it: the other way if powercap is not readable.
#include <fmt/core.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/clock.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/parse.h"
#include "base/strings.h"
#include "meters/sources.h"
#include "meters/virtual_machine.h"

namespace prengdl {
namespace {

struct Event {
  std::string_view file;
  std::string_view domain;
  Counted counted;
};

constexpr Event events[] = {
    {"energy-pkg", "package", Counted::yes},        {"energy-cores", "cores", Counted::inside},
    {"energy-ram", "dram", Counted::yes},           {"energy-gpu", "igpu", Counted::inside},
    {"energy-psys", "platform", Counted::platform},
};

int open_by_system_call(std::uint32_t type, std::uint64_t config, int cpu) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

/// "event=0x02" or "event=0x02,umask=0x01" as the kernel writes it for this PMU.
std::optional<std::uint64_t> config_of(std::string_view text) {
  std::uint64_t config = 0;
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    auto digits = part.substr(equals + 1);
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    std::uint64_t value{};
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value, 16).ec != std::errc{})
      return std::nullopt;
    const auto field = part.substr(0, equals);
    if (field == "event")
      config |= value;
    else if (field == "umask")
      config |= value << 8;
    else
      return std::nullopt;
  }
  return config;
}

class PerfMeter final : public Meter {
 public:
  PerfMeter(MeterInfo info, FileDescriptor file) : info_(std::move(info)), file_(std::move(file)) {}
  const MeterInfo& info() const override { return info_; }

  Reading read() noexcept override {
    return stamped([this](Reading& reading) {
      const ssize_t got = ::read(file_.get(), &reading.raw, sizeof reading.raw);
      if (got != sizeof reading.raw)
        reading.status = got == 0 ? ReadStatus::gone : ReadStatus::failed;  // 0: the cpu is offline
    });
  }

 private:
  MeterInfo info_;
  FileDescriptor file_;
};

/// A hypervisor may offer the events and never count in them. Leaves out what stands still for
/// longer than any counter does, so that something else can take its place.
void leave_out_dead_counters(FoundMeters& found) {
  constexpr int looks = 10;
  constexpr Seconds between_looks{0.002};
  std::vector<Reading> first;
  first.reserve(found.meters.size());
  for (const auto& meter : found.meters) first.push_back(meter->read());
  std::vector<bool> is_alive(found.meters.size(), false);
  SystemClock clock;
  for (int look = 0; look < looks; ++look) {
    if (std::find(is_alive.begin(), is_alive.end(), false) == is_alive.end()) return;
    clock.sleep_until(clock.now_ns() + nanoseconds(between_looks));
    for (std::size_t i = 0; i < found.meters.size(); ++i) {
      if (is_alive[i]) continue;
      const Reading now = found.meters[i]->read();
      is_alive[i] = now.status != ReadStatus::ok || now.raw != first[i].raw;
    }
  }
  Meters alive;
  for (std::size_t i = 0; i < found.meters.size(); ++i) {
    if (is_alive[i])
      alive.push_back(std::move(found.meters[i]));
    else
      found.left_out.push_back({found.meters[i]->info().id,
                                "the virtual machine has this counter, but it does not change",
                                "ask for RAPL to be passed through, or measure on the host"});
  }
  found.meters = std::move(alive);
}

}  // namespace

FoundMeters find_perf_event(const MeterSearch& search) {
  FoundMeters found;
  const auto pmu = search.root / "sys/bus/event_source/devices/power";
  // What is there and cannot be read is reported: without it the other processors would be missing.
  const auto attribute = [&](const std::filesystem::path& path) {
    auto text = read_attribute(path);
    if (const int reason = errno; !text && !is_absent(reason))
      found.left_out.push_back(
          {"perf", cannot_read(path, reason), exhaustion_advice(reason), reason, "package"});
    return text;
  };
  const auto type = parse_integer(attribute(pmu / "type").value_or(""));
  if (!type) return found;
  const auto open = search.open_perf_event ? search.open_perf_event : open_by_system_call;
  const Quality quality =
      is_virtual_machine(search.root) ? Quality::virtual_machine : Quality::chip;
  // One cpu per package (per die on some parts): the mask that the kernel gives.
  const auto cpus = parse_cpu_list(attribute(pmu / "cpumask").value_or("0"));

  for (const auto& event : events) {
    const auto path = pmu / "events" / event.file;
    const auto text = attribute(path);
    if (!text) continue;
    const auto config = config_of(*text);
    const auto scale_text = attribute(path.string() + ".scale");
    const auto scale = scale_text ? parse_number(*scale_text) : std::nullopt;
    const auto unit = attribute(path.string() + ".unit").value_or("Joules");
    for (const int cpu : cpus) {
      const std::string id = fmt::format("perf/{}/cpu{}", event.file, cpu);
      if (!config || !scale || unit != "Joules") {
        found.left_out.push_back(
            {id, fmt::format("{}: event, scale or unit is not understood", path.string()), ""});
        continue;
      }
      FileDescriptor file(open(static_cast<std::uint32_t>(*type), *config, cpu));
      if (!file) {
        const int reason = errno;
        found.left_out.push_back(
            {id,
             fmt::format("perf_event_open for {} on cpu {}: {}", event.file, cpu,
                         error_text(reason)),
             reason == EACCES || reason == EPERM
                 ? "run as root, or set kernel.perf_event_paranoid to 0 or give CAP_PERFMON"
                 : exhaustion_advice(reason),
             reason, event.counted == Counted::yes ? std::string(event.domain) : ""});
        continue;
      }
      MeterInfo info;
      info.id = id;
      info.name =
          cpus.size() > 1 ? fmt::format("{} (cpu {})", event.file, cpu) : std::string(event.file);
      info.domain = event.domain;
      info.source = fmt::format("perf_event power/{}/", event.file);
      info.quality = quality;
      info.counted = event.counted;
      info.period = counter_period(event.counted);
      info.step = *scale;
      info.quantum = 1.0 / 16384;
      info.update = Seconds{0.001};
      found.meters.push_back(std::make_unique<PerfMeter>(std::move(info), std::move(file)));
    }
  }
  if (quality == Quality::virtual_machine) leave_out_dead_counters(found);
  return found;
}

}  // namespace prengdl
