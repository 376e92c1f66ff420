// SPDX-License-Identifier: Apache-2.0
#include "meters/nvml_queries.h"

namespace prengdl::nvml {
namespace {

/// One number that a function writes through a pointer.
template <class Value>
NvmlReturn number(NvmlReturn (*function)(NvmlDevice, Value*), NvmlDevice device,
                  std::uint64_t& raw) noexcept {
  Value value{};
  const NvmlReturn code = call(function, device, &value);
  raw = value;
  return code;
}

NvmlReturn utilisation(const NvmlApi& api, NvmlDevice device, unsigned NvmlUtilisation::*part,
                       std::uint64_t& raw) noexcept {
  NvmlUtilisation percent{};
  const NvmlReturn code = call(api.utilisation, device, &percent);
  raw = percent.*part;
  return code;
}

NvmlReturn memory(const NvmlApi& api, NvmlDevice device, unsigned long long NvmlMemory::*part,
                  std::uint64_t& raw) noexcept {
  NvmlMemory bytes{};
  const NvmlReturn code = call(api.memory, device, &bytes);
  raw = bytes.*part;
  return code;
}

NvmlReturn clock_of(const NvmlApi& api, NvmlDevice device, int type, std::uint64_t& raw) noexcept {
  unsigned megahertz{};
  const NvmlReturn code = call(api.clock, device, type, &megahertz);
  raw = megahertz;
  return code;
}

}  // namespace

NvmlReturn energy(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return number(api.total_energy, device, raw);
}

NvmlReturn instant_power(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  NvmlFieldValue field{};
  field.field = nvml_field_power_instant;
  const NvmlReturn code = call(api.field_values, device, 1, &field);
  if (code != NvmlReturn::success) return code;
  // Old drivers answer the call but not the field.
  if (field.status != NvmlReturn::success) return field.status;
  constexpr int unsigned_int = 1;
  constexpr int unsigned_long = 2;
  constexpr int unsigned_long_long = 3;
  if (field.type == unsigned_int)
    raw = field.value.as_unsigned;
  else if (field.type == unsigned_long)
    raw = field.value.as_unsigned_long;
  else if (field.type == unsigned_long_long)
    raw = field.value.as_unsigned_long_long;
  else
    return NvmlReturn::not_supported;
  return NvmlReturn::success;
}

NvmlReturn power_usage(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return number(api.power_usage, device, raw);
}

NvmlReturn power_limit(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return number(api.power_limit, device, raw);
}

NvmlReturn gpu_utilisation(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return utilisation(api, device, &NvmlUtilisation::gpu, raw);
}

NvmlReturn memory_utilisation(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return utilisation(api, device, &NvmlUtilisation::memory, raw);
}

NvmlReturn memory_used(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return memory(api, device, &NvmlMemory::used, raw);
}

NvmlReturn memory_total(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return memory(api, device, &NvmlMemory::total, raw);
}

NvmlReturn temperature(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  unsigned degrees{};
  const NvmlReturn code = call(api.temperature, device, nvml_sensor_gpu, &degrees);
  raw = degrees;
  return code;
}

NvmlReturn sm_clock(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return clock_of(api, device, nvml_clock_sm, raw);
}

NvmlReturn memory_clock(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return clock_of(api, device, nvml_clock_memory, raw);
}

NvmlReturn throttle_reasons(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept {
  return number(api.throttle_reasons, device, raw);
}

}  // namespace prengdl::nvml
