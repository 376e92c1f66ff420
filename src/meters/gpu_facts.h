// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "meters/sources.h"

namespace prengdl {

/// What is known of a GPU without measuring; stored once with the machine's description.
struct GpuFacts {
  unsigned index{};                // the library's number
  std::string name;                // "NVIDIA A100-SXM4-80GB"
  std::string uuid;                // "GPU-8932f937-..."
  std::string driver;              // "535.104.05"; empty when not told
  std::string compute_capability;  // "8.0"; empty for AMD
  std::optional<std::uint64_t> memory_bytes;
  std::optional<Watts> power_limit;
  std::optional<bool> is_persistent;  // the driver stays loaded between jobs
  std::optional<bool> is_exclusive;   // one process at a time
  bool allocated = true;              // this process may use it
};

/// All GPUs that the library lists, also those that are not given to this process. Empty without a
/// library that works; find_nvml and find_rocm say why.
std::vector<GpuFacts> nvml_facts(const MeterSearch& search);
std::vector<GpuFacts> rocm_facts(const MeterSearch& search);

/// Processes that compute on our NVIDIA GPUs now, sorted, this one and its children included.
/// Nothing when NVML cannot tell. Loads the library each time: for before and after a run.
std::optional<std::vector<unsigned>> nvml_other_processes(const MeterSearch& search);

}  // namespace prengdl
