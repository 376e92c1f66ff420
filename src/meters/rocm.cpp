// SPDX-License-Identifier: Apache-2.0
//
// AMD GPUs by ROCm SMI: energy where there is a counter that moves, else power, and the channels.
// Where the library is missing, hwmon has at least the power.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/clock.h"
#include "base/escaping.h"
#include "meters/gpu_facts.h"
#include "meters/gpu_query_meter.h"
#include "meters/gpu_selection.h"
#include "meters/patience.h"
#include "meters/rocm_api.h"
#include "meters/sources.h"

namespace prengdl {
namespace {

using Library = std::shared_ptr<const Rocm>;

/// Asks one number of a GPU, in ROCm's own unit.
using Query = RocmStatus (*)(const RocmApi&, std::uint32_t gpu, std::uint64_t& raw) noexcept;

/// Calls a function that an old library may not have.
template <class... Parameters, class... Arguments>
RocmStatus call(RocmStatus (*function)(Parameters...), Arguments... arguments) noexcept {
  return function ? function(arguments...) : RocmStatus::not_supported;
}

struct EnergyCount {
  std::uint64_t count{};
  float microjoules{};
  std::uint64_t at_ns{};  // CLOCK_BOOTTIME of the table that the count was taken from
};

RocmStatus energy_count(const RocmApi& api, std::uint32_t gpu, EnergyCount& energy) noexcept {
  return call(api.energy, gpu, &energy.count, &energy.microjoules, &energy.at_ns);
}

RocmStatus energy(const RocmApi& api, std::uint32_t gpu, std::uint64_t& raw) noexcept {
  EnergyCount now;
  const RocmStatus status = energy_count(api, gpu, now);
  raw = now.count;
  return status;
}

RocmStatus power(const RocmApi& api, std::uint32_t gpu, std::uint64_t& raw) noexcept {
  std::uint32_t type{};
  return call(api.power, gpu, &raw, &type);
}

RocmStatus average_power(const RocmApi& api, std::uint32_t gpu, std::uint64_t& raw) noexcept {
  return call(api.average_power, gpu, std::uint32_t{0}, &raw);
}

RocmStatus power_cap(const RocmApi& api, std::uint32_t gpu, std::uint64_t& raw) noexcept {
  return call(api.power_cap, gpu, std::uint32_t{0}, &raw);
}

template <auto Function>
RocmStatus percent(const RocmApi& api, std::uint32_t gpu, std::uint64_t& raw) noexcept {
  std::uint32_t value{};
  const RocmStatus status = call(api.*Function, gpu, &value);
  raw = value;
  return status;
}

RocmStatus memory_used(const RocmApi& api, std::uint32_t gpu, std::uint64_t& raw) noexcept {
  return call(api.memory_used, gpu, rocm_memory_vram, &raw);
}

template <std::uint32_t Sensor>
RocmStatus temperature(const RocmApi& api, std::uint32_t gpu, std::uint64_t& raw) noexcept {
  std::int64_t millidegrees{};
  const RocmStatus status =
      call(api.temperature, gpu, Sensor, rocm_temperature_current, &millidegrees);
  raw = static_cast<std::uint64_t>(millidegrees);
  return status;
}

template <std::uint32_t Type>
RocmStatus clock_of(const RocmApi& api, std::uint32_t gpu, std::uint64_t& raw) noexcept {
  alignas(std::uint64_t) std::array<std::byte, rocm_frequencies_size> record{};
  const RocmStatus status = call(api.frequencies, gpu, Type, static_cast<void*>(record.data()));
  if (status != RocmStatus::success) return status;
  const auto hertz = current_frequency(record);
  raw = hertz.value_or(0);
  return hertz ? RocmStatus::success : RocmStatus::no_data;
}

struct Channel {
  const char* domain;
  Unit unit;
  double step;
  Query query;
  Query instead;  // for GPUs that do not have the first, may be null
};

constexpr std::array channels{
    Channel{"gpu_utilisation", Unit::share, 0.01, percent<&RocmApi::busy>, nullptr},
    Channel{"gpu_memory_utilisation", Unit::share, 0.01, percent<&RocmApi::memory_busy>, nullptr},
    Channel{"gpu_memory_used", Unit::byte, 1, memory_used, nullptr},
    Channel{"gpu_temperature", Unit::celsius, 1e-3, temperature<rocm_temperature_edge>,
            temperature<rocm_temperature_junction>},
    Channel{"gpu_sm_clock", Unit::hertz, 1, clock_of<rocm_clock_system>, nullptr},
    Channel{"gpu_memory_clock", Unit::hertz, 1, clock_of<rocm_clock_memory>, nullptr},
    Channel{"gpu_power_limit", Unit::watt, 1e-6, power_cap, nullptr},
};

using RocmMeter = GpuQueryMeter<Rocm, std::uint32_t, Query>;

std::string pci_address(std::uint64_t id) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", id >> 32, id >> 8 & 0xff, id >> 3 & 0x1f, id & 7);
}

/// The name by which ROCR_VISIBLE_DEVICES knows it; the place on the bus where it has none.
std::string uuid_of(const RocmApi& api, std::uint32_t gpu) {
  std::uint64_t id{};
  if (call(api.unique_id, gpu, &id) == RocmStatus::success && id != 0)
    return fmt::format("GPU-{:016x}", id);
  if (call(api.pci_id, gpu, &id) == RocmStatus::success) return pci_address(id);
  return fmt::format("GPU {}", gpu);
}

GpuFacts describe(const RocmApi& api, std::uint32_t gpu) {
  GpuFacts facts;
  facts.index = gpu;
  facts.uuid = uuid_of(api, gpu);
  std::array<char, 256> text{};
  if (call(api.name, gpu, text.data(), text.size() - 1) == RocmStatus::success)
    facts.name = printable(text.data());
  if (facts.name.empty()) facts.name = "AMD GPU";
  text = {};
  if (call(api.version, rocm_component_driver, text.data(),
           static_cast<std::uint32_t>(text.size() - 1)) == RocmStatus::success)
    facts.driver = printable(text.data());
  std::uint64_t value{};
  if (call(api.memory_total, gpu, rocm_memory_vram, &value) == RocmStatus::success)
    facts.memory_bytes = value;
  if (power_cap(api, gpu, value) == RocmStatus::success)
    facts.power_limit = Watts{static_cast<double>(value) * 1e-6};
  return facts;
}

std::vector<GpuFacts> list_gpus(const Rocm& rocm, const Variables& variables,
                                GpuSelection& selection) {
  std::vector<GpuFacts> gpus;
  std::vector<GpuIdentity> identities;
  std::uint32_t count{};
  if (rocm.api().device_count(&count) != RocmStatus::success) count = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    gpus.push_back(describe(rocm.api(), i));
    identities.push_back({i, gpus.back().uuid, gpus.back().name, {}});
  }
  selection = select_amd(identities, variables);
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i].allocated = selection.allocated[i];
  return gpus;
}

/// Why a counter cannot be used; empty when it can. A dead one was seen to repeat one value with
/// one time stamp for ever (AMDResearch/hpcfund issue 21): its stamp is old, so there is no need to
/// wait and see whether it moves.
std::string fault_of(const EnergyCount& energy) {
  constexpr std::int64_t oldest_ns = 10'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const auto now_ns = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  if (energy.count == 0) return "its energy counter stays at 0";
  if (energy.count == std::numeric_limits<std::uint64_t>::max()) return "it has no energy counter";
  if (!std::isfinite(energy.microjoules) || energy.microjoules <= 0)
    return "its energy counter has no unit";
  if (now_ns - static_cast<std::int64_t>(energy.at_ns) > oldest_ns)
    return "its energy counter is not updated any more";
  return "";
}

/// What one GPU gives, from the best source of energy to the last channel.
class GpuMeters {
 public:
  GpuMeters(Library library, const GpuFacts& gpu, std::string source, FoundMeters& found)
      : library_(std::move(library)),
        gpu_(gpu),
        id_("rocm/" + gpu.uuid),
        title_(fmt::format("{} (GPU {})", gpu.name, gpu.index)),
        source_(std::move(source)),
        found_(found) {}

  void add_all(const std::string& note) {
    if (!add_energy(note)) add_power(note);
    for (const Channel& channel : channels) add_channel(channel);
  }

 private:
  MeterInfo info_for(const std::string& id, const std::string& what) const {
    return gpu_meter(id, title_, source_ + ": " + what);
  }

  void add(MeterInfo info, Query query) {
    found_.meters.push_back(
        std::make_unique<RocmMeter>(std::move(info), library_, gpu_.index, query));
  }

  bool add_energy(const std::string& note) {
    EnergyCount now;
    const RocmStatus status = energy_count(library_->api(), gpu_.index, now);
    why_no_counter_ = status == RocmStatus::success ? fault_of(now) : "it has no energy counter";
    if (!why_no_counter_.empty()) return false;
    MeterInfo info = info_for(id_, "energy count");
    info.kind = Kind::counter;
    info.unit = Unit::joule;
    info.step = static_cast<double>(now.microjoules) * 1e-6;
    info.quantum = info.step;
    info.update = Seconds{0.001};  // the driver keeps what the firmware reported for this long
    info.period = Seconds{0.01};
    info.note = note;
    add(std::move(info), energy);
    if (const auto choice = power_choice()) {
      MeterInfo channel = power_info(id_ + "/gpu_power", *choice);
      channel.domain = "gpu_power";
      channel.counted = Counted::channel;
      channel.period = Seconds{0.1};
      add(std::move(channel), choice->query);
    }
    return true;
  }

  struct Power {
    Query query;
    bool is_average;
  };

  /// 0 W is not a reading: of a package with two dies, one may speak for both.
  std::optional<Power> power_choice() {
    std::uint64_t microwatts{};
    std::uint32_t type{};
    power_status_ = call(library_->api().power, gpu_.index, &microwatts, &type);
    if (power_status_ == RocmStatus::success && microwatts > 0)
      return Power{power, type == rocm_power_average};
    power_status_ = average_power(library_->api(), gpu_.index, microwatts);
    if (power_status_ == RocmStatus::success && microwatts > 0) return Power{average_power, true};
    return std::nullopt;
  }

  MeterInfo power_info(const std::string& id, const Power& choice) const {
    MeterInfo info = info_for(id, choice.is_average ? "average power" : "power");
    info.kind = Kind::gauge;
    info.unit = Unit::watt;
    info.step = 1e-6;
    info.update = Seconds{0.001};
    info.period = Seconds{0.01};
    if (choice.is_average) info.note = "AMD does not publish over how long it averages";
    return info;
  }

  void add_power(const std::string& note) {
    const auto choice = power_choice();
    if (!choice) {
      found_.left_out.push_back(
          {id_,
           fmt::format(
               "{} reports neither energy nor power: {}", title_,
               power_status_ == RocmStatus::success ? "0 W" : library_->error_text(power_status_)),
           "in a package with two dies, one may report for both; otherwise use a wall meter"});
      return;
    }
    MeterInfo info = power_info(id_, *choice);
    add_note(info, note);
    add_note(info, why_no_counter_ + ": power is integrated instead");
    add(std::move(info), choice->query);
  }

  void add_channel(const Channel& channel) {
    std::uint64_t raw{};
    Query query = channel.query;
    if (query(library_->api(), gpu_.index, raw) != RocmStatus::success) query = channel.instead;
    if (!query || query(library_->api(), gpu_.index, raw) != RocmStatus::success) return;
    MeterInfo info = info_for(id_ + "/" + channel.domain, channel.domain);
    info.domain = channel.domain;
    info.kind = Kind::gauge;
    info.unit = channel.unit;
    info.counted = Counted::channel;
    info.step = channel.step;
    info.period = Seconds{0.1};
    add(std::move(info), query);
  }

  Library library_;
  const GpuFacts& gpu_;
  std::string id_;
  std::string title_;
  std::string source_;
  FoundMeters& found_;
  std::string why_no_counter_;
  RocmStatus power_status_{};
};

/// All that find_rocm does with the library.
FoundMeters rocm_meters_in(const MeterSearch& search) {
  FoundMeters found;
  const auto loaded = Rocm::load(search.rocm_library);
  if (!loaded) found.left_out.push_back({"rocm", loaded.error().what(), loaded.error().hint});
  if (!loaded || !*loaded) return found;
  GpuSelection selection;
  for (const GpuFacts& gpu : list_gpus(**loaded, search.variables, selection)) {
    if (gpu.allocated)
      GpuMeters(*loaded, gpu, search.rocm_library, found).add_all(selection.note);
    else
      found.left_out.push_back({"rocm/" + gpu.uuid,
                                fmt::format("{} (GPU {}) is not given to this process ({})",
                                            gpu.name, gpu.index, selection.reason),
                                ""});
  }
  return found;
}

}  // namespace

bool may_have_rocm(const MeterSearch& search) {
  return may_have_library(search, search.rocm_library, {"dev/kfd", "sys/class/kfd"});
}

FoundMeters find_rocm(const MeterSearch& search) {
  if (!may_have_rocm(search)) return {};
  return meters_if_it_answers("rocm", "AMD's ROCm SMI library", "rocm-smi",
                              [search] { return rocm_meters_in(search); });
}

std::vector<GpuFacts> rocm_facts(const MeterSearch& search) {
  using Facts = std::vector<GpuFacts>;
  if (!may_have_rocm(search)) return {};
  return answer_of<Facts>("rocm",
                          [search]() -> Facts {
                            const auto loaded = Rocm::load(search.rocm_library);
                            if (!loaded || !*loaded) return {};
                            GpuSelection ignored;
                            return list_gpus(**loaded, search.variables, ignored);
                          })
      .value_or(Facts{});
}

}  // namespace prengdl
