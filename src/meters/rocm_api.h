// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "model/reading.h"

namespace prengdl {

// The part of AMD's ROCm SMI library that is used here, declared by hand as for NVML. A device is
// its number; powers are microwatts.

enum class RocmStatus : std::uint32_t {
  success = 0,
  not_supported = 2,
  permission = 4,
  not_yet_implemented = 9,
  not_found = 10,
  no_data = 14,
  unknown_error = 0xFFFFFFFF,
};

constexpr std::uint32_t rocm_memory_vram = 0;
constexpr std::uint32_t rocm_temperature_edge = 0;
constexpr std::uint32_t rocm_temperature_junction = 1;
constexpr std::uint32_t rocm_temperature_current = 0;
constexpr std::uint32_t rocm_clock_system = 0;
constexpr std::uint32_t rocm_clock_memory = 4;
constexpr std::uint32_t rocm_power_average = 0;
constexpr std::uint32_t rocm_component_driver = 0;

/// Room for the record of clock frequencies in all versions: 264 bytes until ROCm 5, then 280.
constexpr std::size_t rocm_frequencies_size = 512;

/// What the library offers. The first group is always there, the rest may be null.
struct RocmApi {
  RocmStatus (*init)(std::uint64_t flags);
  RocmStatus (*shut_down)();
  RocmStatus (*device_count)(std::uint32_t*);

  RocmStatus (*status_string)(RocmStatus, const char**);
  RocmStatus (*version)(std::uint32_t component, char*, std::uint32_t);
  RocmStatus (*name)(std::uint32_t, char*, std::size_t);
  RocmStatus (*unique_id)(std::uint32_t, std::uint64_t*);
  RocmStatus (*pci_id)(std::uint32_t, std::uint64_t*);
  RocmStatus (*energy)(std::uint32_t, std::uint64_t* count, float* microjoules, std::uint64_t* ns);
  RocmStatus (*power)(std::uint32_t, std::uint64_t*, std::uint32_t* type);
  RocmStatus (*average_power)(std::uint32_t, std::uint32_t sensor, std::uint64_t*);
  RocmStatus (*power_cap)(std::uint32_t, std::uint32_t sensor, std::uint64_t*);
  RocmStatus (*busy)(std::uint32_t, std::uint32_t* percent);
  RocmStatus (*memory_busy)(std::uint32_t, std::uint32_t* percent);
  RocmStatus (*memory_used)(std::uint32_t, std::uint32_t type, std::uint64_t* bytes);
  RocmStatus (*memory_total)(std::uint32_t, std::uint32_t type, std::uint64_t* bytes);
  RocmStatus (*temperature)(std::uint32_t, std::uint32_t sensor, std::uint32_t metric,
                            std::int64_t* millidegrees);
  RocmStatus (*frequencies)(std::uint32_t, std::uint32_t clock, void* record);
};

/// The library, initialised. The last owner shuts it down and closes it. It looks like Nvml, whose
/// calls and codes are others; a common base would hide them and save nothing.
class Rocm {
 public:
  /// Null when the library is not installed; an Error when it is there but does not work. A name
  /// without directory is also tried with the version numbers that ROCm has had, as the plain name
  /// comes with the development package only.
  static Result<std::shared_ptr<const Rocm>> load(const std::string& library);

  /// Takes over a handle of dlopen; `api` must be initialised.
  Rocm(void* handle, const RocmApi& api) : handle_(handle), api_(api) {}
  ~Rocm();
  Rocm(const Rocm&) = delete;
  Rocm& operator=(const Rocm&) = delete;

  const RocmApi& api() const noexcept { return api_; }
  std::string error_text(RocmStatus status) const;

 private:
  void* handle_;
  RocmApi api_;
};

ReadStatus status_of(RocmStatus status) noexcept;

/// The frequency in use, in hertz, from the record that the library filled. ROCm 6 put a flag in
/// front of it; both layouts are read, as the library does not say which one it has.
std::optional<std::uint64_t> current_frequency(std::span<const std::byte> record) noexcept;

}  // namespace prengdl
