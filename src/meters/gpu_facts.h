// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "meters/sources.h"
#include "model/meter_info.h"

namespace prengdl {

/// What is known of a GPU without measuring; stored once with the machine's description.
struct GpuFacts {
  unsigned index{};                // the library's number
  std::string name;                // "NVIDIA A100-SXM4-80GB"
  std::string uuid;                // "GPU-8932f937-..."
  std::string driver;              // "535.104.05"; empty if not reported
  std::string compute_capability;  // "8.0"; empty for AMD
  std::optional<std::uint64_t> memory_bytes;
  std::optional<Watts> power_limit;
  std::optional<bool> is_persistent;  // the driver stays loaded between jobs
  std::optional<bool> is_exclusive;   // one process at a time
  bool allocated = true;              // this process may use it
};

/// What the meters of all GPUs have in common: a sensor of the card, read through a library that
/// may hang.
inline MeterInfo gpu_meter(std::string id, std::string name, std::string source) {
  MeterInfo info;
  info.id = std::move(id);
  info.name = std::move(name);
  info.domain = "gpu";
  info.source = std::move(source);
  info.quality = Quality::sensor;
  info.may_block = true;
  return info;
}

/// Adds a remark behind those that are there; nothing if it is empty.
inline void add_note(MeterInfo& info, const std::string& note) {
  if (note.empty()) return;
  if (!info.note.empty()) info.note += "; ";
  info.note += note;
}

/// All GPUs that the library lists, also those that are not given to this process. Empty without a
/// library that works; find_nvml and find_rocm say why.
std::vector<GpuFacts> nvml_facts(const MeterSearch& search);
std::vector<GpuFacts> rocm_facts(const MeterSearch& search);

/// Processes that compute on our NVIDIA GPUs now, sorted, this one and its children included.
/// Nothing when NVML cannot tell. Loads the library each time: for before and after a run.
std::optional<std::vector<unsigned>> nvml_other_processes(const MeterSearch& search);

/// Whether discovery met this source ("nvml"), whatever it made of it.
bool mentions(const FoundMeters& found, std::string_view source);

/// Gives the processes that compute on our GPUs, each time it is called. Null if discovery met no
/// NVML: asking again for a library that is not there takes a while. The search must outlive it.
std::function<std::vector<unsigned>()> gpu_watch(const MeterSearch& search,
                                                 const FoundMeters& found);

}  // namespace prengdl
