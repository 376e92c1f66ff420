// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meters/gpu_facts.h"
#include "meters/gpu_selection.h"
#include "meters/nvml_api.h"
#include "meters/nvml_sampling.h"

namespace prengdl::nvml {

/// A GPU that NVML can open; valid as long as the library is.
struct Gpu {
  NvmlDevice device{};
  GpuFacts facts;
  NvmlSampling sampling;

  std::string id() const { return "nvml/" + facts.uuid; }
  std::string title() const;  // "NVIDIA A100 (GPU 1)"
};

struct GpuList {
  std::vector<Gpu> gpus;
  GpuSelection selection;
};

/// The GPUs and which of them are ours; those that cannot be opened are left out.
GpuList list_gpus(const Nvml& nvml, const Variables& variables, std::vector<LeftOut>& left_out);

}  // namespace prengdl::nvml
