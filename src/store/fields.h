// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "model/machine.h"
#include "model/result.h"

namespace prengdl {

// What is stored of each type, each field named once: visit(name, field) is called for all of them
// in a fixed order. The visitors write and read JSON (run_json.cpp) and rows of SQL
// (column_binding.h), so what is written under a name is read under it. A const object is visited
// to be written, any other to be filled. Names end in their unit; a field without a value
// (std::optional) is left out. One that is added later must be of that kind, else records that wait
// can no longer be read.

template <class T, class Type>
concept Of = std::same_as<std::remove_const_t<T>, Type>;

template <class Visit>
void fields(Visit& visit, Of<Energy> auto& energy) {
  visit("joules", energy.value);
  visit("uncertainty", energy.uncertainty);
  visit("quality", energy.quality);
}

template <class Visit>
void fields(Visit& visit, Of<Totals> auto& totals) {
  visit("domains", totals.domains);
  visit("metered", totals.metered);
  visit("covers", totals.covers);
}

template <class Visit>
void fields(Visit& visit, Of<MeterInfo> auto& meter) {
  visit("id", meter.id);
  visit("name", meter.name);
  visit("domain", meter.domain);
  visit("source", meter.source);
  visit("kind", meter.kind);
  visit("quality", meter.quality);
  visit("unit", meter.unit);
  visit("counted", meter.counted);
  visit("step", meter.step);
  visit("quantum", meter.quantum);
  visit("raw_range", meter.range);
  visit("update_seconds", meter.update);
  visit("window_seconds", meter.window);
  visit("lag_seconds", meter.lag);
  visit("period_seconds", meter.period);
  visit("may_block", meter.may_block);
  visit("model_low", meter.model_low);
  visit("model_high", meter.model_high);
  visit("note", meter.note);
}

template <class Visit>
void fields(Visit& visit, Of<ChannelSummary> auto& channel) {
  visit("name", channel.name);
  visit("unit", channel.unit);
  visit("mean", channel.mean);
  visit("lowest", channel.lowest);
  visit("highest", channel.highest);
}

template <class Visit>
void fields(Visit& visit, Of<Span> auto& span) {
  visit("span", span.span);
  visit("name", span.name);
  visit("begin_ns", span.begin_ns);
  visit("end_ns", span.end_ns);
}

template <class Visit>
void fields(Visit& visit, Of<ChannelMean> auto& channel) {
  visit("name", channel.name);
  visit("mean", channel.mean);
}

template <class Visit>
void fields(Visit& visit, Of<SpanEnergy> auto& span) {
  fields(visit, span.span);
  visit("energy", span.energy);
  visit("channels", span.channels);
}

template <class Visit>
void fields(Visit& visit, Of<Metric> auto& metric) {
  visit("name", metric.name);
  visit("value", metric.value);
  visit("at_ns", metric.at_ns);
  visit("step", metric.step);
}

template <class Visit>
void fields(Visit& visit, Of<Work> auto& work) {
  visit("name", work.name);
  visit("value", work.value);
}

template <class Visit>
void fields(Visit& visit, Of<EmittedFact> auto& fact) {
  visit("name", fact.name);
  visit("value", fact.value);
}

/// What is one figure or one text for a run: the columns of the table `runs`.
template <class Visit, Of<StoredRun> Stored>
void figures(Visit& visit, Stored& stored) {
  auto& run = stored.run;
  visit("id", stored.id);
  visit("block", stored.block);
  visit("place", stored.place);
  visit("attempt", stored.attempt);
  visit("warmup", stored.is_warmup);
  visit("seed", stored.seed);
  visit("outcome", stored.outcome);
  visit("machine", stored.machine);
  visit("repeats", stored.repeats);
  visit("exit_code", run.exit_code);
  visit("signal", run.signal);
  visit("timed_out", run.timed_out);
  visit("interrupted", run.interrupted);
  visit("seconds", run.wall);
  visit("window_seconds", run.window);
  visit("begin_ns", run.begin_ns);
  visit("started_at", run.started_at);
  visit("user_seconds", run.user);
  visit("system_seconds", run.system);
  visit("max_rss_bytes", run.max_rss_bytes);
  visit("voluntary_switches", run.voluntary_switches);
  visit("involuntary_switches", run.involuntary_switches);
  visit("workload_cpu_seconds", run.cpu.workload);
  visit("own_cpu_seconds", run.cpu.own);
  visit("others_cpu_seconds", run.cpu.others);
  visit("stolen_cpu_seconds", run.cpu.stolen);
  visit("cpu_pressure_seconds", run.pressure.cpu);
  visit("memory_pressure_seconds", run.pressure.memory);
  visit("io_pressure_seconds", run.pressure.io);
  visit("load_before", run.pressure.load_before);
  std::optional<Seconds> settle_took;
  std::optional<bool> settled;
  if (run.settling) {
    settle_took = run.settling->took;
    settled = run.settling->settled;
  }
  visit("settle_seconds", settle_took);
  visit("settled", settled);
  visit("samples", run.samples);
  visit("missed_samples", run.missed_samples);
  visit("late_samples", run.late_samples);
  visit("flags", run.flags);
  visit("output_tail", run.output_tail);
  visit("log_tail", stored.log_tail);
  if constexpr (!std::is_const_v<Stored>) {
    // A run of a study has its place from the study.
    run.block = stored.block;
    run.order = stored.place;
    if (settle_took && settled) run.settling = Settling{*settle_took, *settled};
  }
}

/// All that is kept of a run but its samples.
template <class Visit>
void fields(Visit& visit, Of<StoredRun> auto& stored) {
  figures(visit, stored);
  visit("cell", stored.cell);
  visit("energy", stored.run.energy);
  visit("net", stored.run.net);
  visit("channels", stored.run.channels);
  visit("spans", stored.run.spans);
  visit("metrics", stored.run.metrics);
  visit("work", stored.run.work);
  visit("facts", stored.run.facts);
  visit("warnings", stored.run.warnings);
  visit("left_behind", stored.run.left_behind);
  visit("meters", stored.meters);
}

// The facts of a machine.

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
