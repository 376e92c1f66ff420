// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meters/nvml_api.h"

namespace prengdl::nvml {

/// Asks one number of a GPU, in NVML's own unit. `raw` is valid on success only.
using Query = NvmlReturn (*)(const NvmlApi&, NvmlDevice, std::uint64_t& raw) noexcept;

/// Calls a function that an old driver may not have.
template <class... Parameters, class... Arguments>
NvmlReturn call(NvmlReturn (*function)(Parameters...), Arguments... arguments) noexcept {
  return function ? function(arguments...) : NvmlReturn::function_not_found;
}

NvmlReturn energy(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;         // mJ
NvmlReturn instant_power(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;  // mW
NvmlReturn power_usage(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;    // mW
NvmlReturn power_limit(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;    // mW
NvmlReturn gpu_utilisation(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;
NvmlReturn memory_utilisation(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;
NvmlReturn memory_used(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;
NvmlReturn memory_total(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;
NvmlReturn temperature(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;
NvmlReturn sm_clock(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;  // MHz
NvmlReturn memory_clock(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;
NvmlReturn throttle_reasons(const NvmlApi& api, NvmlDevice device, std::uint64_t& raw) noexcept;

}  // namespace prengdl::nvml
