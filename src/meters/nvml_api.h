// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "model/reading.h"

namespace prengdl {

// The part of NVIDIA's management library that is used here, declared by hand: the library is
// opened at run time, so that neither its header nor the library is needed to build prengdl.
// Numbers and layouts are NVML's ABI.

enum class NvmlReturn : int {
  success = 0,
  not_supported = 3,
  no_permission = 4,
  insufficient_size = 7,
  driver_not_loaded = 9,
  function_not_found = 13,
  gpu_is_lost = 15,
  version_mismatch = 18,
  gpu_not_found = 28,
};

using NvmlDevice = struct nvmlDevice_st*;

struct NvmlUtilisation {
  unsigned gpu;     // percent
  unsigned memory;  // percent
};

struct NvmlMemory {
  unsigned long long total;  // bytes
  unsigned long long free;
  unsigned long long used;
};

struct NvmlFieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency_us;
  int type;  // which member of the union holds the value
  NvmlReturn status;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long as_unsigned_long;
    unsigned long long as_unsigned_long_long;
    long long as_long_long;
    int as_int;
    unsigned short as_unsigned_short;
  } value;
};
static_assert(sizeof(NvmlFieldValue) == 40);

struct NvmlProcess {  // of the function with the suffix _v2
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(NvmlProcess) == 24);

constexpr unsigned nvml_field_power_instant = 186;
constexpr int nvml_sensor_gpu = 0;
constexpr int nvml_clock_sm = 1;
constexpr int nvml_clock_memory = 2;
constexpr int nvml_compute_exclusive_thread = 1;
constexpr int nvml_compute_exclusive_process = 3;

/// What the library offers. The first group is always there, the rest may be null in old drivers.
struct NvmlApi {
  NvmlReturn (*init)();
  NvmlReturn (*shutdown)();
  const char* (*error_string)(NvmlReturn);
  NvmlReturn (*device_count)(unsigned*);
  NvmlReturn (*device_by_index)(unsigned, NvmlDevice*);
  NvmlReturn (*uuid)(NvmlDevice, char*, unsigned);
  NvmlReturn (*name)(NvmlDevice, char*, unsigned);

  NvmlReturn (*driver_version)(char*, unsigned);
  NvmlReturn (*compute_capability)(NvmlDevice, int*, int*);
  NvmlReturn (*total_energy)(NvmlDevice, unsigned long long*);  // mJ since the driver was loaded
  NvmlReturn (*field_values)(NvmlDevice, int, NvmlFieldValue*);
  NvmlReturn (*power_usage)(NvmlDevice, unsigned*);  // mW
  NvmlReturn (*power_limit)(NvmlDevice, unsigned*);  // mW
  NvmlReturn (*utilisation)(NvmlDevice, NvmlUtilisation*);
  NvmlReturn (*memory)(NvmlDevice, NvmlMemory*);
  NvmlReturn (*temperature)(NvmlDevice, int, unsigned*);  // degrees Celsius
  NvmlReturn (*clock)(NvmlDevice, int, unsigned*);        // MHz
  NvmlReturn (*throttle_reasons)(NvmlDevice, unsigned long long*);
  NvmlReturn (*processes)(NvmlDevice, unsigned*, NvmlProcess*);
  NvmlReturn (*persistence_mode)(NvmlDevice, int*);  // 1: the driver stays loaded when idle
  NvmlReturn (*compute_mode)(NvmlDevice, int*);      // see nvml_compute_*
  NvmlReturn (*mig_count)(NvmlDevice, unsigned*);
  NvmlReturn (*mig_by_index)(NvmlDevice, unsigned, NvmlDevice*);
};

/// The library, initialised. The last owner shuts it down and closes it.
class Nvml {
 public:
  /// Null when the library is not installed; an Error when it is there but does not work.
  static Result<std::shared_ptr<const Nvml>> load(const std::string& library);

  /// Takes over a handle of dlopen; `api` must be initialised.
  Nvml(void* handle, const NvmlApi& api) : handle_(handle), api_(api) {}
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const NvmlApi& api() const noexcept { return api_; }

  /// NVML's own words for a return code.
  std::string error_text(NvmlReturn code) const;

 private:
  void* handle_;
  NvmlApi api_;
};

ReadStatus status_of(NvmlReturn code) noexcept;

}  // namespace prengdl
