// SPDX-License-Identifier: Apache-2.0
#include "campaign/requirements.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "study/workload.h"

namespace prengdl {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

/// What is lacking of one set of requirements.
std::vector<std::string> lacks(const Requirements& wanted, const Machine& machine,
                               const std::vector<std::uint64_t>& gpus,
                               const std::filesystem::path& place) {
  std::vector<std::string> found;
  const auto refuse = [&](std::string what) { found.push_back(std::move(what)); };
  if (wanted.cpus && machine.cpu.threads && *machine.cpu.threads < *wanted.cpus)
    refuse(fmt::format("{} CPUs, this machine has {}", *wanted.cpus, *machine.cpu.threads));
  else if (wanted.cpus && machine.cgroup.cpus && *machine.cgroup.cpus < *wanted.cpus)
    refuse(fmt::format("{} CPUs, the control group gives this process {:.1f}", *wanted.cpus,
                       *machine.cgroup.cpus));
  const auto is_too_little = [&](const std::optional<std::uint64_t>& bytes,
                                 const std::string& who) {
    if (!bytes || *bytes >= *wanted.memory_bytes) return false;
    refuse(fmt::format("{} of memory, {} {}", gibibytes(*wanted.memory_bytes), who,
                       gibibytes(*bytes)));
    return true;
  };
  if (wanted.memory_bytes && !is_too_little(machine.memory.total_bytes, "this machine has"))
    is_too_little(machine.cgroup.memory_bytes, "the control group gives this process");
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
  return found;
}

}  // namespace

std::vector<std::string> unmet_requirements(const Study& study, const std::vector<Cell>& cells,
                                            const Machine& machine,
                                            const std::vector<std::uint64_t>& gpu_memories,
                                            const std::filesystem::path& result_parent) {
  std::vector<std::string> unmet;
  std::set<std::string> emitted;
  const auto look = [&](const Requirements& wanted, const std::string& who) {
    for (const auto& what : lacks(wanted, machine, gpu_memories, result_parent))
      if (emitted.insert(what).second) unmet.push_back(fmt::format("{} requires {}", who, what));
  };
  look(study.requirements, "the study " + study.name);
  for (const auto& cell : cells) look(workload_for(study, cell).requirements, name_of(study, cell));
  return unmet;
}

std::vector<RefusedCell> check_requirements(const Study& study, const std::vector<Cell>& cells,
                                            const Machine& machine,
                                            const std::vector<std::uint64_t>& gpu_memories,
                                            const std::filesystem::path& result_parent) {
  constexpr const char* advice = "choose another preset or machine";
  const auto of_study = unmet_requirements(study, {}, machine, gpu_memories, result_parent);
  if (!of_study.empty()) throw Error(of_study.front(), advice);
  std::vector<RefusedCell> refused;
  for (const auto& cell : cells) {
    const auto unmet =
        lacks(workload_for(study, cell).requirements, machine, gpu_memories, result_parent);
    if (!unmet.empty()) refused.push_back({cell, "requires " + unmet.front()});
  }
  if (!cells.empty() && refused.size() == cells.size())
    throw Error(fmt::format("{} {}", name_of(study, refused.front().cell), refused.front().why),
                advice);
  return refused;
}

}  // namespace prengdl
