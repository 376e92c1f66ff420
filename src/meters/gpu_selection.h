// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meters/sources.h"

namespace prengdl {

/// A GPU as its library lists it.
struct GpuIdentity {
  unsigned index{};                 // the library's number: PCI order for NVML
  std::string uuid;                 // "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"
  std::string name;                 // "NVIDIA A100-SXM4-80GB"
  std::vector<std::string> slices;  // UUIDs of its MIG devices: "MIG-1b2c..."
};

/// Which GPUs a process with this environment may use.
struct GpuSelection {
  std::vector<bool> allocated;  // one for each GPU that was asked about
  std::string reason;           // "CUDA_VISIBLE_DEVICES=0,2"; empty when nothing restricts
  std::string note;             // what is uncertain about it, for the meters' notes
};

/// CUDA_VISIBLE_DEVICES as CUDA reads it, else what Slurm or the container runtime says.
GpuSelection select_nvidia(const std::vector<GpuIdentity>& gpus, const Variables& variables);

/// ROCR_VISIBLE_DEVICES and, within what it leaves, HIP_VISIBLE_DEVICES; else what Slurm says.
GpuSelection select_amd(const std::vector<GpuIdentity>& gpus, const Variables& variables);

}  // namespace prengdl
