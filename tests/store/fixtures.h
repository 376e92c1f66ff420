// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fake_host.h"
#include "store/result.h"

namespace prengdl {

// Studies, runs and samples for the tests of src/store.

inline StudyRecord small_study() {
  StudyRecord study;
  study.name = "small";
  study.text = "[study]\nname = \"small\"\nruns = 3\n";
  study.preset = "tiny";
  study.factors = {{"framework", {"pytorch", "tensorflow"}}, {"model", {"ncf", "gnmt"}}};
  study.planned_runs = 12;
  study.blocks = 3;
  study.seed = 0xFEDCBA9876543210;
  study.prengdl_version = "0.1.0";
  study.created_at = "2025-11-16T10:20:30Z";
  study.locks = {{"pytorch", "torch==2.1.0 --hash=sha256:aa\n"}, {"tensorflow", "tf==2.15\n"}};
  return study;
}

inline MeterInfo package_meter() {
  MeterInfo meter;
  meter.id = "powercap/intel-rapl:0";
  meter.name = "package-0";
  meter.domain = "package";
  meter.source = "/sys/class/powercap/intel-rapl:0/energy_uj";
  meter.step = 1e-6;
  meter.quantum = 61e-6;
  meter.range = 262143328850;
  meter.update = Seconds{0.001};
  return meter;
}

inline MeterInfo battery_meter() {
  MeterInfo meter;
  meter.id = "battery/BAT0";
  meter.name = "BAT0";
  meter.domain = "machine";
  meter.kind = Kind::gauge;
  meter.quality = Quality::sensor;
  meter.unit = Unit::watt;
  meter.counted = Counted::alone;
  meter.step = 1e-6;
  meter.window = Seconds{0.5};
  meter.lag = Seconds{0.25};
  meter.period = Seconds{1};
  meter.may_block = true;
  meter.model_low = 0.75;
  meter.model_high = 1.5;
  meter.note = "slow";
  return meter;
}

/// A run with a value in every field that can have one.
inline StoredRun full_run(const std::string& id) {
  StoredRun stored;
  stored.id = id;
  stored.cell = {"tensorflow", "ncf"};
  stored.block = 2;
  stored.place = 17;
  stored.attempt = 1;
  stored.is_warmup = false;
  stored.seed = 0xFFFFFFFFFFFFFFFF;
  stored.outcome = Outcome::failed;
  stored.machine = "m-1";
  stored.repeats = "b0001-p0003-t0-00000000";
  stored.meters = {package_meter(), battery_meter()};
  stored.log_tail = "Traceback:\n  \"quoted\", \\ and \xC3\xA4\n";
  Run& run = stored.run;
  run.block = stored.block;
  run.order = stored.place;
  run.exit_code = 3;
  run.signal = 9;
  run.timed_out = true;
  run.interrupted = true;
  run.wall = Seconds{1.0 / 3};
  run.window = Seconds{0.1};
  run.begin_ns = 81364209417512;
  run.started_at = "2025-11-16T10:20:31Z";
  run.user = Seconds{0.25};
  run.system = Seconds{0.0625};
  run.max_rss_bytes = 123456789012;
  run.voluntary_switches = 12;
  run.involuntary_switches = 34;
  run.energy.domains["package"] = {Joules{12.345678901234567}, Joules{0.001}, Quality::chip};
  run.energy.domains["rail:3.3 V"] = {Joules{0.1}, Joules{0.01}, Quality::sensor};
  run.energy.covers = {"package", "gpu"};  // of the GPU there is no figure
  run.net = Totals{{{"package", {Joules{10}, Joules{0.5}, Quality::chip}}},
                   Energy{Joules{10}, Joules{0.5}, Quality::model},
                   {"package"}};
  run.channels = {{"workload_cpu", Unit::share, 1.5, 0, 2},
                  {"gpu_temperature", Unit::celsius, 61.5, 40, 70}};
  run.cpu = {Seconds{0.3}, Seconds{0.01}, Seconds{0.02}, Seconds{0.03}};
  run.pressure = {Seconds{0.1}, Seconds{0.2}, Seconds{0.3}, 0.75};
  run.settling = Settling{Seconds{12.5}, true};
  run.samples = 4000;
  run.missed_samples = 2;
  run.late_samples = 1;
  run.flags = {Flag::disturbed, Flag::short_run};
  run.warnings = {"others used 0.2 s of CPU time", "late, \"very\" late"};
  run.left_behind = {"sleep", "two words"};
  run.output_tail = "bye";
  Totals epoch;
  epoch.domains["package"] = {Joules{1.25}, Joules{0.125}, Quality::chip};
  epoch.metered = epoch.domains["package"];
  epoch.covers = {"package"};
  run.spans = {{{"epoch", "1", 81364209417600, 81364259417600}, epoch, {{"gpu_utilisation", 0.5}}},
               {{"step", "", 81364209417700, 81364209417900}, {}, {}}};
  run.metrics = {{"accuracy", 0.1 + 0.2, 81364259417500, 1}, {"loss", 1e-300, 81364259417550, {}}};
  run.work = {{"samples", 50000}, {"tokens", 1.5}};
  run.facts = {{"precision", "fp32"}, {"torch", "2.15.0"}};
  return stored;
}

/// A run of few words, of the given block and cell.
inline StoredRun short_run(const std::string& id, std::size_t place = 0,
                           Cell cell = {"pytorch", "ncf"}) {
  StoredRun stored;
  stored.id = id;
  stored.cell = std::move(cell);
  stored.block = place / 4;
  stored.place = place;
  stored.machine = "m-1";
  stored.meters = {package_meter()};
  stored.run.exit_code = 0;
  stored.run.wall = Seconds{1.5};
  stored.run.begin_ns = 1'000'000'000;
  stored.run.started_at = "2025-11-16T10:20:31Z";
  stored.run.energy.domains["package"] = {Joules{20}, Joules{0.5}, Quality::chip};
  stored.run.energy.metered = stored.run.energy.domains["package"];
  stored.run.energy.covers = {"package"};
  return stored;
}

/// The sample of a meter at a tick; the same for the same tick.
inline Reading reading_of(std::uint64_t tick, std::uint16_t meter = 0) {
  return {.at_ns = 1'000'000'000 + static_cast<std::int64_t>(tick) * 1'000'000 + meter * 1500,
          .raw = 5'000'000 + tick * (50'000 + meter)};
}

/// Stores a run with so many samples of one meter, up to the moment from which it counts as
/// finished.
inline void record_run(const ResultStore& store, const StoredRun& run, std::uint64_t ticks = 10) {
  const auto record = store.record(run.id);
  for (std::uint64_t tick = 0; tick < ticks; ++tick) record->add(0, reading_of(tick));
  record->finish(run);
}

inline std::vector<std::pair<std::uint16_t, Reading>> samples_of(const ResultStore& store,
                                                                 const std::string& run) {
  std::vector<std::pair<std::uint16_t, Reading>> found;
  store.samples(run, [&](std::uint16_t meter, const Reading& reading) {
    found.emplace_back(meter, reading);
  });
  return found;
}

inline bool equal(const Reading& a, const Reading& b) {
  return a.at_ns == b.at_ns && a.raw == b.raw && a.status == b.status && a.mark == b.mark &&
         a.slack_ns == b.slack_ns;
}

inline std::vector<std::string> ids_of(const ResultStore& store) {
  std::vector<std::string> ids;
  for (const auto& run : store.runs(Detail::figures)) ids.push_back(run.id);
  return ids;
}

/// What the error says and advises, or "" if there is none.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace prengdl
