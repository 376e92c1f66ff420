// SPDX-License-Identifier: Apache-2.0
#include "machine/this_machine.h"

#include "machine/machine.h"
#include "meters/gpu_facts.h"

namespace prengdl {

MachineRecord this_machine(const MeterSearch& search, const std::string& name) {
  MachineRecord record;
  record.facts = read_machine(search.root, search.variables);
  if (!name.empty()) record.facts.system.hostname = name;
  std::vector<std::string> gpus;
  for (const auto& gpu : nvml_facts(search)) gpus.push_back(gpu.name);
  for (const auto& gpu : rocm_facts(search)) gpus.push_back(gpu.name);
  record.fingerprint = fingerprint(record.facts, gpus);
  return record;
}

}  // namespace prengdl
