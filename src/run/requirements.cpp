// SPDX-License-Identifier: Apache-2.0
#include "run/requirements.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "run/study_workload.h"

namespace prengdl {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

void check(const Requirements& wanted, const std::string& who, const Machine& machine,
           const std::vector<std::uint64_t>& gpus, const std::filesystem::path& place) {
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("{} requires {}", who, what),
                "choose another preset or machine, or leave out what cannot run with --only");
  };
  if (wanted.cpus && machine.cpu.threads && *machine.cpu.threads < *wanted.cpus)
    refuse(fmt::format("{} CPUs, this machine has {}", *wanted.cpus, *machine.cpu.threads));
  if (wanted.memory_bytes && machine.memory.total_bytes &&
      *machine.memory.total_bytes < *wanted.memory_bytes)
    refuse(fmt::format("{} of memory, this machine has {}", gibibytes(*wanted.memory_bytes),
                       gibibytes(*machine.memory.total_bytes)));
  const auto enough = static_cast<int>(std::count_if(gpus.begin(), gpus.end(), [&](auto memory) {
    return memory >= wanted.gpu_memory_bytes.value_or(0);
  }));
  const int gpus_wanted = wanted.gpus.value_or(wanted.gpu_memory_bytes ? 1 : 0);
  if (enough < gpus_wanted)
    refuse(fmt::format(
        "{} GPU{}{}, this process may use {}", gpus_wanted, gpus_wanted == 1 ? "" : "s",
        wanted.gpu_memory_bytes ? " with " + gibibytes(*wanted.gpu_memory_bytes) + " of memory"
                                : "",
        enough));
  if (wanted.disk_bytes) {
    std::error_code trouble;
    const auto space = std::filesystem::space(place, trouble);
    if (!trouble && space.available < *wanted.disk_bytes)
      refuse(fmt::format("{} of free disk, {} has {}", gibibytes(*wanted.disk_bytes),
                         place.string(), gibibytes(space.available)));
  }
}

}  // namespace

void check_requirements(const Study& study, const std::vector<Cell>& cells, const Machine& machine,
                        const std::vector<std::uint64_t>& gpu_memories,
                        const std::filesystem::path& result_parent) {
  check(study.requirements, "the study " + study.name, machine, gpu_memories, result_parent);
  for (const auto& cell : cells)
    check(workload_for(study, cell).requirements, name_of(study, cell), machine, gpu_memories,
          result_parent);
}

}  // namespace prengdl
