// SPDX-License-Identifier: Apache-2.0
//
// Answers like librocm_smi64.so, of ROCm 6 or (records=old) of ROCm 5.
#include <cmath>
#include <cstring>
#include <ctime>

#include "standin.h"

namespace {

constexpr std::uint32_t success = 0;
constexpr std::uint32_t invalid_arguments = 1;
constexpr std::uint32_t not_supported = 2;

constexpr const char* standard =
    "name=AMD Instinct MI210,watts=140;name=AMD Radeon RX 7900 XTX,watts=60,energy=no";

template <class Answer>
std::uint32_t answer(std::uint32_t number, bool (*has)(const standin::Gpu&), Answer give) {
  auto& gpus = standin::state().gpus;
  if (number >= gpus.size()) return invalid_arguments;
  const standin::Gpu& gpu = gpus[number];
  if (gpu.error) return static_cast<std::uint32_t>(gpu.error);
  if (!has(gpu)) return not_supported;
  give(gpu);
  return success;
}

bool has_channels(const standin::Gpu& gpu) { return gpu.channels == "yes"; }
bool has_energy(const standin::Gpu& gpu) { return gpu.energy != "no"; }
bool has_power(const standin::Gpu& gpu) { return gpu.power == "yes"; }
bool has_instant(const standin::Gpu& gpu) { return gpu.instant == "yes"; }
bool always(const standin::Gpu&) { return true; }

std::uint64_t microwatts(double watts) {
  return static_cast<std::uint64_t>(std::llround(watts * 1e6));
}

std::uint64_t boot_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct OldFrequencies {
  std::uint32_t number, current;
  std::uint64_t hertz[32];
};
struct Frequencies {
  bool has_deep_sleep;
  std::uint32_t number, current;
  std::uint64_t hertz[33];
};
static_assert(sizeof(OldFrequencies) == 264 && sizeof(Frequencies) == 280);

}  // namespace

extern "C" {

std::uint32_t rsmi_init(std::uint64_t) {
  return static_cast<std::uint32_t>(standin::start("PRENGDL_STANDIN_ROCM", standard));
}
std::uint32_t rsmi_shut_down() {
  standin::stop();
  return success;
}

std::uint32_t rsmi_status_string(std::uint32_t status, const char** text) {
  *text = status == 2   ? "RSMI_STATUS_NOT_SUPPORTED"
          : status == 8 ? "RSMI_STATUS_INIT_ERROR"
                        : "RSMI_STATUS_UNKNOWN_ERROR";
  return success;
}

std::uint32_t rsmi_version_str_get(std::uint32_t, char* text, std::uint32_t size) {
  std::strncpy(text, "6.3.6", size);
  return success;
}

std::uint32_t rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = static_cast<std::uint32_t>(standin::state().gpus.size());
  return success;
}

std::uint32_t rsmi_dev_name_get(std::uint32_t number, char* text, std::size_t size) {
  return answer(number, always,
                [&](const standin::Gpu& gpu) { std::strncpy(text, gpu.name.c_str(), size); });
}

std::uint32_t rsmi_dev_unique_id_get(std::uint32_t number, std::uint64_t* id) {
  return answer(
      number, [](const standin::Gpu& gpu) { return gpu.uuid != "none"; },
      [&](const standin::Gpu&) { *id = 0xdeadbeef00000000 + number; });
}

std::uint32_t rsmi_dev_pci_id_get(std::uint32_t number, std::uint64_t* id) {
  return answer(number, always, [&](const standin::Gpu&) { *id = 0x300 + (number << 8); });
}

std::uint32_t rsmi_dev_energy_count_get(std::uint32_t number, std::uint64_t* count,
                                        float* microjoules, std::uint64_t* at_ns) {
  return answer(number, has_energy, [&](const standin::Gpu& gpu) {
    constexpr double before = 1000;
    *microjoules = 15.3F;
    const double joules = before + gpu.joules_shown(standin::now());
    *count = gpu.energy == "zero" ? 0 : static_cast<std::uint64_t>(joules / 15.3e-6);
    // A dead one repeats an old time stamp; 0 is as old as the machine.
    *at_ns = gpu.energy == "stuck" ? 0 : boot_time_ns();
  });
}

std::uint32_t rsmi_dev_power_get(std::uint32_t number, std::uint64_t* power, std::uint32_t* type) {
  return answer(number, has_instant, [&](const standin::Gpu& gpu) {
    *power = microwatts(gpu.watts_at(standin::now()));
    *type = 1;
  });
}

std::uint32_t rsmi_dev_power_ave_get(std::uint32_t number, std::uint32_t sensor,
                                     std::uint64_t* power) {
  if (sensor != 0) return invalid_arguments;
  return answer(number, has_power, [&](const standin::Gpu& gpu) {
    *power = microwatts(gpu.watts_at(standin::now()));
  });
}

std::uint32_t rsmi_dev_power_cap_get(std::uint32_t number, std::uint32_t, std::uint64_t* power) {
  return answer(number, has_channels, [&](const standin::Gpu&) { *power = 300'000'000; });
}

std::uint32_t rsmi_dev_busy_percent_get(std::uint32_t number, std::uint32_t* percent) {
  return answer(number, has_channels, [&](const standin::Gpu&) { *percent = 75; });
}

std::uint32_t rsmi_dev_memory_busy_percent_get(std::uint32_t number, std::uint32_t* percent) {
  return answer(number, has_channels, [&](const standin::Gpu&) { *percent = 30; });
}

std::uint32_t rsmi_dev_memory_usage_get(std::uint32_t number, std::uint32_t type,
                                        std::uint64_t* bytes) {
  if (type != 0) return invalid_arguments;
  return answer(number, has_channels, [&](const standin::Gpu&) { *bytes = 5ULL << 30; });
}

std::uint32_t rsmi_dev_memory_total_get(std::uint32_t number, std::uint32_t type,
                                        std::uint64_t* bytes) {
  if (type != 0) return invalid_arguments;
  return answer(number, has_channels, [&](const standin::Gpu&) { *bytes = 64ULL << 30; });
}

/// Without an edge sensor, as the newer Instinct boards: the junction has one.
std::uint32_t rsmi_dev_temp_metric_get(std::uint32_t number, std::uint32_t sensor, std::uint32_t,
                                       std::int64_t* millidegrees) {
  if (sensor != 1) return not_supported;
  return answer(number, has_channels,
                [&](const standin::Gpu& gpu) { *millidegrees = std::llround(gpu.celsius * 1000); });
}

std::uint32_t rsmi_dev_gpu_clk_freq_get(std::uint32_t number, std::uint32_t clock, void* record) {
  if (clock != 0 && clock != 4) return invalid_arguments;
  return answer(number, has_channels, [&](const standin::Gpu& gpu) {
    const std::uint64_t hertz = clock == 0 ? 1'700'000'000 : 1'600'000'000;
    if (gpu.records == "old")
      *static_cast<OldFrequencies*>(record) = {2, 1, {500'000'000, hertz}};
    else
      *static_cast<Frequencies*>(record) = {true, 3, 2, {132'000'000, 500'000'000, hertz}};
  });
}
}
