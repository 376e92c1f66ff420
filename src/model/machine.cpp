// SPDX-License-Identifier: Apache-2.0
#include "model/machine.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace prengdl {
namespace {

/// Collects the facts that are known.
class Table {
 public:
  explicit Table(std::vector<Fact>& rows) : rows_(rows) {}

  void group(std::string name) { group_ = std::move(name); }
  void add(std::string key, std::string value) {
    rows_.push_back({group_, std::move(key), std::move(value)});
  }
  void add(std::string key, const std::optional<std::string>& value) {
    if (value) add(std::move(key), *value);
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void add(std::string key, const std::optional<Number>& value) {
    if (!value) return;
    if constexpr (std::is_same_v<Number, bool>)
      add(std::move(key), std::string(*value ? "on" : "off"));
    else
      add(std::move(key), fmt::format("{}", *value));
  }
  void add(std::string key, const std::vector<std::string>& values) {
    if (!values.empty()) add(std::move(key), fmt::format("{}", fmt::join(values, ", ")));
  }

 private:
  std::vector<Fact>& rows_;
  std::string group_;
};

constexpr std::array<std::string_view, 5> recorded_prefixes{"OMP_", "MKL_", "KMP_", "GOMP_",
                                                            "PYTORCH_"};

constexpr std::string_view known_names[] = {
    // threads and their places
    "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OMP_SCHEDULE", "OMP_DYNAMIC",
    "OMP_WAIT_POLICY", "OMP_MAX_ACTIVE_LEVELS", "OMP_STACKSIZE", "OMP_THREAD_LIMIT",
    "GOMP_CPU_AFFINITY", "GOMP_SPINCOUNT", "KMP_AFFINITY", "KMP_BLOCKTIME", "KMP_SETTINGS",
    "MKL_NUM_THREADS", "MKL_DYNAMIC", "MKL_ENABLE_INSTRUCTIONS", "MKL_DEBUG_CPU_TYPE", "MKL_CBWR",
    "MKL_THREADING_LAYER", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "MALLOC_ARENA_MAX", "MALLOC_CONF",
    // which devices, and how they are driven
    "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING",
    "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_MODULE_LOADING", "CUDA_CACHE_DISABLE",
    "CUBLAS_WORKSPACE_CONFIG", "NVIDIA_TF32_OVERRIDE", "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "HSA_OVERRIDE_GFX_VERSION", "ZE_AFFINITY_MASK",
    "ONEAPI_DEVICE_SELECTOR", "NCCL_ALGO", "NCCL_PROTO",
    // frameworks
    "TF_ENABLE_ONEDNN_OPTS", "TF_NUM_INTEROP_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_GPU_ALLOCATOR",
    "TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_THREAD_MODE", "TF_GPU_THREAD_COUNT", "TF_XLA_FLAGS",
    "TF_DETERMINISTIC_OPS", "TF_CUDNN_DETERMINISTIC", "TF_CUDNN_USE_AUTOTUNE",
    "TF_USE_LEGACY_KERAS", "TF_ENABLE_CUBLAS_TENSOR_OP_MATH_FP32", "XLA_FLAGS",
    "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION",
    "XLA_PYTHON_CLIENT_ALLOCATOR", "JAX_PLATFORMS", "JAX_ENABLE_X64",
    "JAX_DEFAULT_MATMUL_PRECISION", "KERAS_BACKEND", "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF", "PYTORCH_JIT", "TORCH_CUDNN_V8_API_DISABLED",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE",
    "TORCHINDUCTOR_MAX_AUTOTUNE", "ORT_DISABLE_ALL", "OPENVINO_TORCH_BACKEND_DEVICE",
    "MXNET_CUDNN_AUTOTUNE_DEFAULT", "PYTHONHASHSEED", "PYTHONOPTIMIZE", "PYTHONMALLOC",
    "PYTHON_GIL",
    // how the process is started
    "LD_PRELOAD", "SLURM_JOB_ID", "SLURM_GPUS", "SLURM_GPUS_ON_NODE", "SLURM_JOB_GPUS",
    "SLURM_STEP_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK", "SLURM_CPUS_PER_TASK",
    "SLURM_CPUS_ON_NODE", "SLURM_JOB_PARTITION"};

constexpr std::array<std::string_view, 6> secret_words{"TOKEN",    "KEY",    "SECRET",
                                                       "PASSWORD", "PASSWD", "CREDENTIAL"};

}  // namespace

std::span<const std::string_view> known_variables() { return known_names; }

bool is_recorded_variable(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const auto word : secret_words)
    if (upper.find(word) != std::string::npos) return false;
  for (const auto prefix : recorded_prefixes)
    if (name.starts_with(prefix)) return true;
  if (name.starts_with("SLURM_") && name.find("GPUS") != std::string_view::npos) return true;
  return std::ranges::find(known_names, name) != std::end(known_names);
}

std::string fingerprint(const Machine& machine, const std::vector<std::string>& gpus) {
  const auto number = [](const auto& value) { return value ? std::to_string(*value) : "?"; };
  std::string text = machine.system.hostname.value_or("?") + '\n' +
                     machine.cpu.model_name.value_or("?") + '\n' + number(machine.cpu.sockets) +
                     '/' + number(machine.cpu.cores) + '/' + number(machine.cpu.threads) + '\n';
  // The kernel keeps a little more or less of the memory for itself with each version.
  text += std::to_string((machine.memory.total_bytes.value_or(0) + (1u << 29)) >> 30);
  for (const auto& gpu : gpus) text += '\n' + gpu;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::vector<Fact> facts(const Machine& machine) {
  std::vector<Fact> rows;
  Table table(rows);
  table.group("system");
  table.add("hostname", machine.system.hostname);
  table.add("vendor", machine.system.vendor);
  table.add("product", machine.system.product);
  table.add("os", machine.system.os);
  table.add("kernel", machine.system.kernel);
  table.add("clock_source", machine.system.clock_source);
  table.add("virtual_machine", std::string(machine.system.is_virtual ? "yes" : "no"));
  table.add("hypervisor", machine.system.hypervisor);
  table.add("container", machine.system.container);

  table.group("cpu");
  table.add("model_name", machine.cpu.model_name);
  table.add("vendor", machine.cpu.vendor);
  table.add("family", machine.cpu.family);
  table.add("model", machine.cpu.model);
  table.add("stepping", machine.cpu.stepping);
  table.add("microcode", machine.cpu.microcode);
  table.add("sockets", machine.cpu.sockets);
  table.add("cores", machine.cpu.cores);
  table.add("threads", machine.cpu.threads);
  table.add("numa_nodes", machine.cpu.numa_nodes);
  table.add("smt", machine.cpu.smt);
  table.add("base_hertz", machine.cpu.base_hertz);
  table.add("max_hertz", machine.cpu.max_hertz);
  table.add("sgx", std::string(machine.cpu.has_sgx ? "yes" : "no"));

  table.group("frequency");
  table.add("driver", machine.frequency.driver);
  table.add("governor", machine.frequency.governors);
  table.add("energy_performance_preference", machine.frequency.preferences);
  table.add("turbo", machine.frequency.turbo);
  for (const auto& limit : machine.frequency.power_limits)
    table.add("power_limit " + limit.zone + " " + limit.name,
              fmt::format("{:g} W", limit.limit.value));

  table.group("memory");
  table.add("total_bytes", machine.memory.total_bytes);
  table.add("swap_bytes", machine.memory.swap_bytes);
  table.add("swap_used_bytes", machine.memory.swap_used_bytes);
  table.add("transparent_huge_pages", machine.memory.huge_pages);

  table.group("cgroup");
  table.add("cpus", machine.cgroup.cpus);
  table.add("cpuset", machine.cgroup.cpuset);
  table.add("memory_bytes", machine.cgroup.memory_bytes);

  table.group("mitigations");
  for (const auto& [name, state] : machine.mitigations) table.add(name, state);
  table.group("environment");
  for (const auto& [name, value] : machine.environment) table.add(name, value);
  return rows;
}

std::optional<Seconds> cpu_time_of_others(const Conditions& before, const Conditions& after,
                                          Seconds own) {
  if (!before.cpu_busy || !after.cpu_busy) return std::nullopt;
  return std::max(Seconds{0}, *after.cpu_busy - *before.cpu_busy - own);
}

Seconds others_limit(Seconds own, Seconds wall) {
  const Seconds scatter{disturbance::tick_deviations *
                        std::sqrt(std::max(0.0, own.count()) * disturbance::tick.count())};
  return std::max({disturbance::others_share * wall, disturbance::others_floor, scatter});
}

bool is_stolen(const Conditions& before, const Conditions& after, Seconds wall, int cpus) {
  if (!before.cpu_steal || !after.cpu_steal || wall < disturbance::steal_shortest_run) return false;
  const Seconds stolen = *after.cpu_steal - *before.cpu_steal;
  return stolen >
         std::max(disturbance::steal_share * wall * std::max(cpus, 1), disturbance::steal_floor);
}

bool is_throttled(const Conditions& before, const Conditions& after) {
  return before.throttles && after.throttles && *after.throttles > *before.throttles;
}

Flags disturbance_flags(const Conditions& before, const Conditions& after,
                        double own_and_workload_cpu_seconds, Seconds wall, int cpus) {
  const Seconds own{own_and_workload_cpu_seconds};
  const auto others = cpu_time_of_others(before, after, own);
  Flags flags;
  if ((others && *others > others_limit(own, wall)) || is_stolen(before, after, wall, cpus))
    flags.insert(Flag::disturbed);
  if (is_throttled(before, after)) flags.insert(Flag::throttled);
  return flags;
}

}  // namespace prengdl
