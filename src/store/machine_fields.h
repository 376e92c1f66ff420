// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/machine.h"
#include "store/fields.h"

namespace prengdl {

// The facts of a machine as they are stored: see fields.h.

template <class Visit>
void fields(Visit& visit, Of<CpuFacts> auto& cpu) {
  visit("model_name", cpu.model_name);
  visit("vendor", cpu.vendor);
  visit("family", cpu.family);
  visit("model", cpu.model);
  visit("stepping", cpu.stepping);
  visit("microcode", cpu.microcode);
  visit("sockets", cpu.sockets);
  visit("cores", cpu.cores);
  visit("threads", cpu.threads);
  visit("numa_nodes", cpu.numa_nodes);
  visit("smt", cpu.smt);
  visit("base_hertz", cpu.base_hertz);
  visit("max_hertz", cpu.max_hertz);
  visit("sgx", cpu.has_sgx);
}

template <class Visit>
void fields(Visit& visit, Of<PowerLimit> auto& limit) {
  visit("zone", limit.zone);
  visit("name", limit.name);
  visit("watts", limit.limit);
}

template <class Visit>
void fields(Visit& visit, Of<FrequencyFacts> auto& frequency) {
  visit("governors", frequency.governors);
  visit("driver", frequency.driver);
  visit("preferences", frequency.preferences);
  visit("turbo", frequency.turbo);
  visit("power_limits", frequency.power_limits);
}

template <class Visit>
void fields(Visit& visit, Of<CgroupLimits> auto& cgroup) {
  visit("cpus", cgroup.cpus);
  visit("cpuset", cgroup.cpuset);
  visit("memory_bytes", cgroup.memory_bytes);
}

template <class Visit>
void fields(Visit& visit, Of<MemoryFacts> auto& memory) {
  visit("total_bytes", memory.total_bytes);
  visit("swap_bytes", memory.swap_bytes);
  visit("swap_used_bytes", memory.swap_used_bytes);
  visit("huge_pages", memory.huge_pages);
}

template <class Visit>
void fields(Visit& visit, Of<SystemFacts> auto& system) {
  visit("hostname", system.hostname);
  visit("kernel", system.kernel);
  visit("os", system.os);
  visit("vendor", system.vendor);
  visit("product", system.product);
  visit("clock_source", system.clock_source);
  visit("virtual", system.is_virtual);
  visit("hypervisor", system.hypervisor);
  visit("container", system.container);
}

template <class Visit>
void fields(Visit& visit, Of<Machine> auto& machine) {
  visit("cpu", machine.cpu);
  visit("frequency", machine.frequency);
  visit("cgroup", machine.cgroup);
  visit("memory", machine.memory);
  visit("system", machine.system);
  visit("mitigations", machine.mitigations);
  visit("environment", machine.environment);
}

}  // namespace prengdl
