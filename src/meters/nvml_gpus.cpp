// SPDX-License-Identifier: Apache-2.0
//
// Which NVIDIA GPUs there are, what they are, and who computes on them.
#include "meters/nvml_gpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/amounts.h"
#include "base/escaping.h"
#include "meters/embedded.h"
#include "meters/nvml_queries.h"
#include "meters/patience.h"

namespace prengdl {
namespace nvml {
namespace {

/// The text that a function writes into a buffer; empty when it fails.
template <class... Parameters, class... Arguments>
std::string text_of(NvmlReturn (*function)(Parameters...), Arguments... arguments) {
  std::array<char, 256> buffer{};
  if (call(function, arguments..., buffer.data(), static_cast<unsigned>(buffer.size() - 1)) !=
      NvmlReturn::success)
    return "";
  return printable(buffer.data());
}

std::vector<std::string> slices_of(const NvmlApi& api, NvmlDevice device) {
  std::vector<std::string> slices;
  unsigned most{};
  if (call(api.mig_count, device, &most) != NvmlReturn::success) return slices;
  for (unsigned i = 0; i < most; ++i) {
    NvmlDevice slice{};
    if (call(api.mig_by_index, device, i, &slice) == NvmlReturn::success)
      slices.push_back(text_of(api.uuid, slice));
  }
  return slices;
}

Gpu describe(const Nvml& nvml, NvmlDevice device, unsigned index) {
  const NvmlApi& api = nvml.api();
  Gpu gpu;
  gpu.device = device;
  gpu.facts.index = index;
  gpu.facts.uuid = text_of(api.uuid, device);
  gpu.facts.name = text_of(api.name, device);
  if (gpu.facts.uuid.empty()) gpu.facts.uuid = fmt::format("GPU {}", index);
  if (gpu.facts.name.empty()) gpu.facts.name = "NVIDIA GPU";
  gpu.facts.driver = text_of(api.driver_version);
  int major{};
  int minor{};
  if (call(api.compute_capability, device, &major, &minor) == NvmlReturn::success)
    gpu.facts.compute_capability = fmt::format("{}.{}", major, minor);
  gpu.sampling = nvml_sampling(embedded::nvml_sampling(), major, minor);
  std::uint64_t raw{};
  if (memory_total(api, device, raw) == NvmlReturn::success) gpu.facts.memory_bytes = raw;
  if (power_limit(api, device, raw) == NvmlReturn::success)
    gpu.facts.power_limit = Watts{static_cast<double>(raw) * 1e-3};
  int mode{};
  if (call(api.persistence_mode, device, &mode) == NvmlReturn::success)
    gpu.facts.is_persistent = mode == 1;
  if (call(api.compute_mode, device, &mode) == NvmlReturn::success)
    gpu.facts.is_exclusive =
        mode == nvml_compute_exclusive_thread || mode == nvml_compute_exclusive_process;
  return gpu;
}

}  // namespace

std::string Gpu::title() const { return fmt::format("{} (GPU {})", facts.name, facts.index); }

GpuList list_gpus(const Nvml& nvml, const Variables& variables, std::vector<LeftOut>& left_out) {
  GpuList list;
  std::vector<GpuIdentity> identities;
  unsigned count{};
  const NvmlReturn counted = nvml.api().device_count(&count);
  if (counted != NvmlReturn::success)
    left_out.push_back({"nvml", "cannot count the GPUs: " + nvml.error_text(counted),
                        "run `nvidia-smi` to see why"});
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice device{};
    const NvmlReturn code = nvml.api().device_by_index(i, &device);
    if (code != NvmlReturn::success) {
      left_out.push_back({fmt::format("nvml/{}", i),
                          fmt::format("cannot open GPU {}: {}", i, nvml.error_text(code)),
                          code == NvmlReturn::no_permission
                              ? "a job scheduler may hide it from this process"
                              : "run `nvidia-smi` to see why"});
      continue;
    }
    list.gpus.push_back(describe(nvml, device, i));
    const GpuFacts& facts = list.gpus.back().facts;
    identities.push_back({i, facts.uuid, facts.name, slices_of(nvml.api(), device)});
  }
  list.selection = select_nvidia(identities, variables);
  for (std::size_t i = 0; i < list.gpus.size(); ++i)
    list.gpus[i].facts.allocated = list.selection.allocated[i];
  return list;
}

}  // namespace nvml

namespace {

std::vector<GpuFacts> facts_in(const MeterSearch& search) {
  const auto loaded = Nvml::load(search.nvml_library);
  if (!loaded || !*loaded) return {};
  std::vector<LeftOut> ignored;
  std::vector<GpuFacts> facts;
  for (nvml::Gpu& gpu : nvml::list_gpus(**loaded, search.variables, ignored).gpus)
    facts.push_back(std::move(gpu.facts));
  return facts;
}

using Pids = std::optional<std::vector<unsigned>>;

Pids processes_in(const MeterSearch& search) {
  const auto loaded = Nvml::load(search.nvml_library);
  if (!loaded || !*loaded) return std::nullopt;
  std::vector<LeftOut> ignored;
  std::vector<unsigned> pids;
  for (const nvml::Gpu& gpu : nvml::list_gpus(**loaded, search.variables, ignored).gpus) {
    if (!gpu.facts.allocated) continue;
    std::vector<NvmlProcess> processes(64);
    unsigned count{};
    NvmlReturn code = NvmlReturn::insufficient_size;
    // Processes may start between two calls: ask again with room to spare.
    for (int attempt = 0; attempt < 5 && code == NvmlReturn::insufficient_size; ++attempt) {
      processes.resize(std::max<std::size_t>(processes.size(), std::size_t{2} * count));
      count = static_cast<unsigned>(processes.size());
      code = nvml::call((*loaded)->api().processes, gpu.device, &count, processes.data());
    }
    if (code != NvmlReturn::success) return std::nullopt;
    for (unsigned i = 0; i < count && i < processes.size(); ++i) pids.push_back(processes[i].pid);
  }
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

}  // namespace

std::vector<GpuFacts> nvml_facts(const MeterSearch& search) {
  using Facts = std::vector<GpuFacts>;
  if (!may_have_nvml(search)) return {};
  return answer_of<Facts>("nvml", [search] { return facts_in(search); }).value_or(Facts{});
}

std::optional<std::vector<unsigned>> nvml_other_processes(const MeterSearch& search) {
  if (!may_have_nvml(search)) return std::nullopt;
  return answer_of<Pids>("nvml", [search] { return processes_in(search); }).value_or(std::nullopt);
}

}  // namespace prengdl
