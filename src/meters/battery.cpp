// SPDX-License-Identifier: Apache-2.0
//
// A laptop's battery while it discharges: the only meter of the whole machine that needs no
// instrument. Its controller updates slowly, so it serves long runs.
#include <fmt/core.h>

#include <algorithm>

#include "base/limits.h"
#include "meters/sources.h"
#include "meters/value_file.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Drivers disagree on the sign of a current that leaves the battery.
std::uint64_t magnitude(const Reading& reading) noexcept {
  const auto value = static_cast<std::int64_t>(reading.raw);
  return value < 0 ? std::uint64_t{0} - reading.raw : reading.raw;
}

/// power_now in microwatts.
class PowerMeter final : public Meter {
 public:
  PowerMeter(MeterInfo info, ValueFile power) : info_(std::move(info)), power_(std::move(power)) {}
  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override {
    Reading reading = power_.read();
    reading.raw = magnitude(reading);
    return reading;
  }

 private:
  MeterInfo info_;
  ValueFile power_;
};

/// energy_now falls while the battery feeds the machine; what is missing from `full` rises.
class EnergyMeter final : public Meter {
 public:
  EnergyMeter(MeterInfo info, ValueFile energy, std::uint64_t full)
      : info_(std::move(info)), energy_(std::move(energy)), full_(full) {}
  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override {
    Reading reading = energy_.read();
    reading.raw = full_ - std::min(reading.raw, full_);
    return reading;
  }

 private:
  MeterInfo info_;
  ValueFile energy_;
  std::uint64_t full_;
};

MeterInfo describe(const std::string& name, const fs::path& file) {
  MeterInfo info;
  info.id = "battery/" + name;
  info.name = name;
  info.domain = "machine";
  info.source = file.string();
  info.kind = Kind::gauge;
  info.quality = Quality::sensor;
  info.unit = Unit::watt;
  info.counted = Counted::alone;
  info.step = 1e-6;
  info.update = Seconds{10};  // between 1 and 30, and nothing says which
  info.period = Seconds{1};
  info.may_block = true;  // the embedded controller is asked over a slow bus
  info.note =
      "the battery's controller updates every 1 to 30 s: for runs of minutes; screen and disks are "
      "in the figure";
  return info;
}

Result<std::unique_ptr<Meter>> open_battery(const fs::path& directory, const std::string& name) {
  if (read_integer(directory / "power_now")) {
    auto power = ValueFile::open(directory / "power_now");
    if (!power) return tl::unexpected(power.error());
    return std::make_unique<PowerMeter>(describe(name, directory / "power_now"), std::move(*power));
  }
  if (read_integer(directory / "voltage_now") && read_integer(directory / "current_now")) {
    auto voltage = ValueFile::open(directory / "voltage_now");
    auto current = ValueFile::open(directory / "current_now");
    if (!voltage) return tl::unexpected(voltage.error());
    if (!current) return tl::unexpected(current.error());
    MeterInfo info = describe(name, directory / "current_now");
    info.step = 1e-12;  // microvolts times microamperes
    return std::make_unique<ProductMeter>(std::move(info), std::move(*voltage), std::move(*current),
                                          ProductMeter::Sign::dropped);
  }
  if (const auto now = read_integer(directory / "energy_now"); now && *now >= 0) {
    auto energy = ValueFile::open(directory / "energy_now");
    if (!energy) return tl::unexpected(energy.error());
    MeterInfo info = describe(name, directory / "energy_now");
    info.kind = Kind::counter;
    info.unit = Unit::joule;
    info.step = 3600e-6;  // microwatt hours
    info.quantum = 36;    // smart batteries count in steps of 10 mWh
    info.update = Seconds{30};
    const auto full = read_integer(directory / "energy_full").value_or(*now);
    return std::make_unique<EnergyMeter>(std::move(info), std::move(*energy),
                                         static_cast<std::uint64_t>(std::max(full, *now)));
  }
  return failure(fmt::format("{} shows neither power, current nor energy", name));
}

}  // namespace

FoundMeters find_battery(const MeterSearch& search) {
  FoundMeters found;
  const fs::path supplies = search.root / "sys/class/power_supply";
  struct Battery {
    std::string name;
    std::string status;
  };
  std::vector<Battery> batteries;
  bool is_discharging = false;
  for (const auto& name : list_directory(supplies)) {
    const fs::path directory = supplies / name;
    // A wireless mouse has a battery too; its scope is "Device".
    if (read_optional(directory / "type") != "Battery") continue;
    if (read_optional(directory / "scope") == "Device") continue;
    if (read_integer(directory / "present") == 0) continue;
    batteries.push_back({name, read_optional(directory / "status").value_or("Unknown")});
    is_discharging = is_discharging || batteries.back().status == "Discharging";
  }
  for (const auto& [name, status] : batteries) {
    if (!is_discharging || status == "Charging") {
      found.left_out.push_back({"battery/" + name,
                                fmt::format("{} is not discharging (status: {})", name, status),
                                "unplug the mains to measure the whole machine by its battery"});
      continue;
    }
    // With two batteries one rests while the other feeds the machine, and they change over.
    auto meter = open_battery(supplies / name, name);
    if (const int reason = errno; meter)
      found.meters.push_back(std::move(*meter));
    else
      found.left_out.push_back({"battery/" + name, meter.error().what(), meter.error().hint,
                                is_exhaustion(reason) ? reason : 0, ""});
  }
  return found;
}

}  // namespace prengdl
