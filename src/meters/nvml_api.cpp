// SPDX-License-Identifier: Apache-2.0
#include "meters/nvml_api.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <initializer_list>

#include "base/escaping.h"

namespace prengdl {
namespace {

struct CloseLibrary {
  void operator()(void* handle) const { dlclose(handle); }
};

/// The first of the names that the library has; null when it has none.
template <class Function>
bool find(void* handle, Function*& function, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function) return true;
  }
  return false;
}

/// Whether the library has what no version of NVML lacks. A plain name without suffix is an older
/// version of the function, with the same arguments wherever both are listed here.
bool fill(void* handle, NvmlApi& api) {
  find(handle, api.driver_version, {"nvmlSystemGetDriverVersion"});
  find(handle, api.compute_capability, {"nvmlDeviceGetCudaComputeCapability"});
  find(handle, api.total_energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  find(handle, api.field_values, {"nvmlDeviceGetFieldValues"});
  find(handle, api.power_usage, {"nvmlDeviceGetPowerUsage"});
  find(handle, api.power_limit,
       {"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"});
  find(handle, api.utilisation, {"nvmlDeviceGetUtilizationRates"});
  find(handle, api.memory, {"nvmlDeviceGetMemoryInfo"});
  find(handle, api.temperature, {"nvmlDeviceGetTemperature"});
  find(handle, api.clock, {"nvmlDeviceGetClockInfo"});
  find(handle, api.throttle_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  // Not _v3: some 535 drivers have a longer record there than those before and after them.
  find(handle, api.processes, {"nvmlDeviceGetComputeRunningProcesses_v2"});
  find(handle, api.persistence_mode, {"nvmlDeviceGetPersistenceMode"});
  find(handle, api.compute_mode, {"nvmlDeviceGetComputeMode"});
  find(handle, api.mig_count, {"nvmlDeviceGetMaxMigDeviceCount"});
  find(handle, api.mig_by_index, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  return find(handle, api.init, {"nvmlInit_v2", "nvmlInit"}) &&
         find(handle, api.shutdown, {"nvmlShutdown"}) &&
         find(handle, api.error_string, {"nvmlErrorString"}) &&
         find(handle, api.device_count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}) &&
         find(handle, api.device_by_index,
              {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}) &&
         find(handle, api.uuid, {"nvmlDeviceGetUUID"}) &&
         find(handle, api.name, {"nvmlDeviceGetName"});
}

std::string words_for(const NvmlApi& api, NvmlReturn code) {
  const char* const text = api.error_string(code);
  return text && *text ? printable(text) : fmt::format("NVML error {}", static_cast<int>(code));
}

std::string advice_for(NvmlReturn code) {
  if (code == NvmlReturn::driver_not_loaded)
    return "load the driver (sudo modprobe nvidia), or reboot if it was installed just now";
  if (code == NvmlReturn::version_mismatch)
    return "the driver was updated while an older one was running: reboot";
  if (code == NvmlReturn::no_permission)
    return "this user may not open /dev/nvidiactl: ask for the group that owns it";
  return "run `nvidia-smi` to see why";
}

}  // namespace

Result<std::shared_ptr<const Nvml>> Nvml::load(const std::string& library) {
  std::unique_ptr<void, CloseLibrary> handle(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle) {
    const char* const error = dlerror();
    const std::string reason = error ? error : "cannot open " + library;
    // Missing is normal on most machines; a library that is there but cannot be opened is not.
    if (reason.starts_with(library) && reason.ends_with("No such file or directory"))
      return std::shared_ptr<const Nvml>();
    return failure(reason, "install the NVIDIA driver again, or the library that it misses");
  }
  NvmlApi api{};
  if (!fill(handle.get(), api))
    return failure(library + " is not NVIDIA's management library",
                   "check what LD_LIBRARY_PATH points to");
  const NvmlReturn code = api.init();
  if (code != NvmlReturn::success)
    return failure("NVML does not start: " + words_for(api, code), advice_for(code));
  return std::make_shared<const Nvml>(handle.release(), api);
}

Nvml::~Nvml() {
  api_.shutdown();
  dlclose(handle_);
}

std::string Nvml::error_text(NvmlReturn code) const { return words_for(api_, code); }

ReadStatus status_of(NvmlReturn code) noexcept {
  switch (code) {
    case NvmlReturn::success:
      return ReadStatus::ok;
    case NvmlReturn::gpu_is_lost:
    case NvmlReturn::gpu_not_found:
      return ReadStatus::gone;
    case NvmlReturn::no_permission:
      return ReadStatus::denied;
    default:
      return ReadStatus::failed;
  }
}

}  // namespace prengdl
