// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA GPUs by the driver's management library: energy where there is a counter, else power, and
// the channels next to it.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "meters/gpu_facts.h"
#include "meters/gpu_query_meter.h"
#include "meters/nvml_gpus.h"
#include "meters/nvml_queries.h"
#include "meters/patience.h"
#include "meters/sources.h"

namespace prengdl {
namespace {

using nvml::Gpu;
using nvml::Query;
using Library = std::shared_ptr<const Nvml>;

struct Channel {
  const char* domain;
  Unit unit;
  double step;
  Query query;
};

constexpr std::array channels{
    Channel{"gpu_utilisation", Unit::share, 0.01, nvml::gpu_utilisation},
    Channel{"gpu_memory_utilisation", Unit::share, 0.01, nvml::memory_utilisation},
    Channel{"gpu_memory_used", Unit::byte, 1, nvml::memory_used},
    Channel{"gpu_temperature", Unit::celsius, 1, nvml::temperature},
    Channel{"gpu_sm_clock", Unit::hertz, 1e6, nvml::sm_clock},
    Channel{"gpu_memory_clock", Unit::hertz, 1e6, nvml::memory_clock},
    Channel{"gpu_throttle_reasons", Unit::bits, 1, nvml::throttle_reasons},
    Channel{"gpu_power_limit", Unit::watt, 1e-3, nvml::power_limit},
};

using NvmlMeter = GpuQueryMeter<Nvml, NvmlDevice, Query>;

/// Twice in each update, so that no value is missed; more often only costs.
Seconds period_for(Seconds update) { return std::max(Seconds{0.01}, update / 2); }

/// What one GPU gives, from the best source of energy to the last channel.
class GpuMeters {
 public:
  GpuMeters(Library library, const Gpu& gpu, std::string source, FoundMeters& found)
      : library_(std::move(library)), gpu_(gpu), source_(std::move(source)), found_(found) {}

  void add_all(const std::string& note) {
    if (!add_energy(note)) add_power(note);
    for (const Channel& channel : channels) add_channel(channel);
  }

 private:
  MeterInfo info_for(const std::string& id, const std::string& what) const {
    return gpu_meter(id, gpu_.title(), source_ + ": " + what);
  }

  void add(MeterInfo info, Query query) {
    found_.meters.push_back(
        std::make_unique<NvmlMeter>(std::move(info), library_, gpu_.device, query));
  }

  /// A GPU that has used energy since its driver was loaded does not show 0: such a counter is
  /// dead. One that stands still at another value cannot be recognised without waiting; the channel
  /// gpu_power is there to compare it with.
  bool add_energy(const std::string& note) {
    std::uint64_t millijoules{};
    const NvmlReturn code = nvml::energy(library_->api(), gpu_.device, millijoules);
    if (code != NvmlReturn::success || millijoules == 0) {
      const bool none = code == NvmlReturn::not_supported || code == NvmlReturn::function_not_found;
      why_no_counter_ = code == NvmlReturn::success ? "its energy counter stays at 0"
                        : none                      ? "it has no energy counter"
                               : "its energy counter fails: " + library_->error_text(code);
      if (none && gpu_.sampling.energy_counter.value_or(false))
        why_no_counter_ += fmt::format(", though {} GPUs should", gpu_.sampling.architecture);
      return false;
    }
    MeterInfo info = info_for(gpu_.id(), "total energy");
    info.kind = Kind::counter;
    info.unit = Unit::joule;
    info.step = 1e-3;
    info.quantum = 1e-3;
    info.update = gpu_.sampling.energy_update;
    info.period = period_for(info.update);
    add_note(info, note);
    const double share = gpu_.sampling.sampled_share.value_or(1);
    if (share < 1)
      add_note(info, fmt::format("the power sensor of {} samples {:.0f} % of the time; whether the "
                                 "energy counter sees more is not published",
                                 gpu_.sampling.architecture, share * 100));
    add(std::move(info), nvml::energy);
    add_power_channel();
    return true;
  }

  struct Power {
    Query query;
    const char* what;
    Seconds window;
  };

  /// The sharpest reading of power that this GPU gives. 0 W is not a reading.
  std::optional<Power> power(NvmlReturn& code) const {
    for (const Power& choice :
         {Power{nvml::instant_power, "instant power", gpu_.sampling.instant_window},
          Power{nvml::power_usage, "power usage", gpu_.sampling.usage_window}}) {
      std::uint64_t milliwatts{};
      code = choice.query(library_->api(), gpu_.device, milliwatts);
      if (code == NvmlReturn::success && milliwatts > 0) return choice;
    }
    return std::nullopt;
  }

  MeterInfo power_info(const std::string& id, const Power& choice) const {
    MeterInfo info = info_for(id, choice.what);
    info.kind = Kind::gauge;
    info.unit = Unit::watt;
    info.step = 1e-3;
    info.quantum = 1e-3;
    info.update = gpu_.sampling.power_update;
    info.window = choice.window;
    info.lag = gpu_.sampling.lag;
    info.period = period_for(info.update);
    return info;
  }

  void add_power(const std::string& note) {
    NvmlReturn code{};
    const auto choice = power(code);
    if (!choice) {
      found_.left_out.push_back(
          {gpu_.id(),
           fmt::format("{} reports neither energy nor power: {}", gpu_.title(),
                       code == NvmlReturn::success ? "0 W" : library_->error_text(code)),
           "it may have no sensor, as laptop, entry-level and virtual GPUs: use a wall meter"});
      return;
    }
    MeterInfo info = power_info(gpu_.id(), *choice);
    add_note(info, note);
    add_note(info, why_no_counter_ + ": power is integrated instead");
    const double share = gpu_.sampling.sampled_share.value_or(1);
    if (share < 1)
      add_note(info, fmt::format("the sensor samples {:.0f} % of the time", share * 100));
    add(std::move(info), choice->query);
  }

  void add_power_channel() {
    NvmlReturn code{};
    const auto choice = power(code);
    if (!choice) return;
    MeterInfo info = power_info(gpu_.id() + "/gpu_power", *choice);
    info.domain = "gpu_power";
    info.counted = Counted::channel;
    info.period = Seconds{0.1};
    add(std::move(info), choice->query);
  }

  void add_channel(const Channel& channel) {
    std::uint64_t raw{};
    const NvmlReturn code = channel.query(library_->api(), gpu_.device, raw);
    const std::string id = gpu_.id() + "/" + channel.domain;
    if (code == NvmlReturn::not_supported || code == NvmlReturn::function_not_found) return;
    if (code != NvmlReturn::success) {
      found_.left_out.push_back({id, "cannot read it: " + library_->error_text(code), ""});
      return;
    }
    MeterInfo info = info_for(id, channel.domain);
    info.domain = channel.domain;
    info.kind = Kind::gauge;
    info.unit = channel.unit;
    info.counted = Counted::channel;
    info.step = channel.step;
    info.quantum = channel.step;
    info.period = Seconds{0.1};
    add(std::move(info), channel.query);
  }

  Library library_;
  const Gpu& gpu_;
  std::string source_;
  FoundMeters& found_;
  std::string why_no_counter_;
};

/// All that find_nvml does with the library.
FoundMeters meters_in(const MeterSearch& search) {
  FoundMeters found;
  const auto loaded = Nvml::load(search.nvml_library);
  if (!loaded) {
    found.left_out.push_back({"nvml", loaded.error().what(), loaded.error().hint});
    return found;
  }
  if (!*loaded) {
    std::error_code ignored;
    if (std::filesystem::exists(search.root / "proc/driver/nvidia/gpus", ignored))
      found.left_out.push_back(
          {"nvml", "the NVIDIA driver is loaded, but " + search.nvml_library + " is missing",
           "install it (Debian: libnvidia-ml1), or start the container with the NVIDIA runtime and "
           "NVIDIA_DRIVER_CAPABILITIES=utility,compute"});
    return found;
  }
  const auto list = nvml::list_gpus(**loaded, search.variables, found.left_out);
  for (const Gpu& gpu : list.gpus) {
    if (gpu.facts.allocated)
      GpuMeters(*loaded, gpu, search.nvml_library, found).add_all(list.selection.note);
    else
      found.left_out.push_back(
          {gpu.id(),
           fmt::format("{} is not given to this process ({})", gpu.title(), list.selection.reason),
           ""});
  }
  return found;
}

}  // namespace

bool may_have_nvml(const MeterSearch& search) {
  // The driver's own files, those of Tegra, and the bridge to Windows' driver in WSL.
  return may_have_library(search, search.nvml_library,
                          {"dev/nvidiactl", "proc/driver/nvidia", "dev/nvhost-ctrl", "dev/dxg"});
}

FoundMeters find_nvml(const MeterSearch& search) {
  if (!may_have_nvml(search)) return {};
  return meters_if_it_answers("nvml", "NVIDIA's management library", "nvidia-smi",
                              [search] { return meters_in(search); });
}

}  // namespace prengdl
