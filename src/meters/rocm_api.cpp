// SPDX-License-Identifier: Apache-2.0
#include "meters/rocm_api.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstring>
#include <vector>

#include "base/escaping.h"
#include "base/strings.h"

namespace prengdl {
namespace {

struct CloseLibrary {
  void operator()(void* handle) const { dlclose(handle); }
};
using Handle = std::unique_ptr<void, CloseLibrary>;

template <class Function>
bool find(void* handle, Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(handle, name));
  return function != nullptr;
}

/// Whether the library has what no version of ROCm SMI lacks.
bool fill(void* handle, RocmApi& api) {
  find(handle, api.status_string, "rsmi_status_string");
  find(handle, api.version, "rsmi_version_str_get");
  find(handle, api.name, "rsmi_dev_name_get");
  find(handle, api.unique_id, "rsmi_dev_unique_id_get");
  find(handle, api.pci_id, "rsmi_dev_pci_id_get");
  find(handle, api.energy, "rsmi_dev_energy_count_get");
  find(handle, api.power, "rsmi_dev_power_get");
  find(handle, api.average_power, "rsmi_dev_power_ave_get");
  find(handle, api.power_cap, "rsmi_dev_power_cap_get");
  find(handle, api.busy, "rsmi_dev_busy_percent_get");
  find(handle, api.memory_busy, "rsmi_dev_memory_busy_percent_get");
  find(handle, api.memory_used, "rsmi_dev_memory_usage_get");
  find(handle, api.memory_total, "rsmi_dev_memory_total_get");
  find(handle, api.temperature, "rsmi_dev_temp_metric_get");
  find(handle, api.frequencies, "rsmi_dev_gpu_clk_freq_get");
  return find(handle, api.init, "rsmi_init") && find(handle, api.shut_down, "rsmi_shut_down") &&
         find(handle, api.device_count, "rsmi_num_monitor_devices");
}

std::vector<std::string> candidates(const std::string& library) {
  std::vector<std::string> names{library};
  if (library.find('/') != std::string::npos) return names;
  for (const char* const version : {".7", ".6", ".5", ".1"}) names.push_back(library + version);
  names.push_back("/opt/rocm/lib/" + library);
  return names;
}

/// A null handle without a problem: no such file under any of the names.
Handle open_any(const std::string& library, std::string& problem) {
  for (const auto& name : candidates(library)) {
    if (Handle handle{dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)}) return handle;
    const char* const error = dlerror();
    const std::string reason = error ? error : "cannot open " + name;
    if (problem.empty() &&
        !(reason.starts_with(name) && reason.ends_with("No such file or directory")))
      problem = reason;
  }
  return {};
}

std::string words_for(const RocmApi& api, RocmStatus status) {
  const char* text = nullptr;
  if (api.status_string) api.status_string(status, &text);
  return text && *text ? printable(text)
                       : fmt::format("ROCm SMI error {}", static_cast<std::uint32_t>(status));
}

}  // namespace

Result<std::shared_ptr<const Rocm>> Rocm::load(const std::string& library) {
  std::string problem;
  Handle handle = open_any(library, problem);
  if (!handle && problem.empty()) return std::shared_ptr<const Rocm>();
  if (!handle) return failure(problem, "install ROCm SMI again, or the library that it misses");
  RocmApi api{};
  if (!fill(handle.get(), api))
    return failure(library + " is not AMD's ROCm SMI library",
                   "check what LD_LIBRARY_PATH points to");
  const RocmStatus status = api.init(0);
  if (status != RocmStatus::success)
    return failure("ROCm SMI does not start: " + words_for(api, status),
                   "check that the amdgpu driver is loaded and that this user may open /dev/kfd "
                   "(groups render and video)");
  return std::make_shared<const Rocm>(handle.release(), api);
}

Rocm::~Rocm() {
  api_.shut_down();
  dlclose(handle_);
}

std::string Rocm::error_text(RocmStatus status) const { return words_for(api_, status); }

ReadStatus status_of(RocmStatus status) noexcept {
  switch (status) {
    case RocmStatus::success:
      return ReadStatus::ok;
    case RocmStatus::permission:
      return ReadStatus::denied;
    case RocmStatus::not_found:
      return ReadStatus::gone;
    default:
      return ReadStatus::failed;
  }
}

std::optional<std::uint64_t> current_frequency(std::span<const std::byte> record) noexcept {
  constexpr std::uint32_t most = 33;
  constexpr std::size_t new_header = 16;  // flag, number, current, padding
  constexpr std::size_t old_header = 8;   // number, current
  if (record.size() < new_header + most * sizeof(std::uint64_t)) return std::nullopt;
  std::uint32_t words[3];
  std::memcpy(words, record.data(), sizeof words);
  const auto frequency = [&](std::size_t header, std::uint32_t index) {
    std::uint64_t hertz{};
    std::memcpy(&hertz, record.data() + header + index * sizeof hertz, sizeof hertz);
    return hertz;
  };
  // No record fits both: the old one begins with the number of frequencies, and where that is 1 its
  // current index, which would be the number in the new one, is 0.
  const bool is_new =
      std::to_integer<unsigned>(record[0]) <= 1 && words[1] <= most && words[2] < words[1];
  if (is_new) return frequency(new_header, words[2]);
  if (words[0] <= most && words[1] < words[0]) return frequency(old_header, words[1]);
  return std::nullopt;
}

}  // namespace prengdl
