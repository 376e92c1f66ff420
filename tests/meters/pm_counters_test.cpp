// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>

#include "fake_host.h"
#include "meters/sources.h"
#include "model/accuracy.h"
#include "model/energy.h"
#include "model/totals.h"

namespace prengdl {
namespace {

const std::filesystem::path counters = "sys/cray/pm_counters";

void write_joules(FakeHost& host, const std::string& file, std::uint64_t joules) {
  host.write(counters / file, std::to_string(joules) + " J 1700000000123456 us");
}

/// A node with one processor, memory and two accelerators, as EX nodes show them.
void add_node(FakeHost& host) {
  write_joules(host, "energy", 5000000);
  write_joules(host, "cpu_energy", 900000);
  write_joules(host, "memory_energy", 300000);
  write_joules(host, "accel0_energy", 1500000);
  write_joules(host, "accel1_energy", 1600000);
  host.write(counters / "power", "451 W 1700000000123456 us");
  host.write(counters / "cpu_power_cap", "0 W 1700000000123456 us");
  host.write(counters / "raw_scan_hz", "10");
  host.write(counters / "freshness", "81467");
  host.write(counters / "generation", "3");
  host.write(counters / "version", "2");
}

/// Below the host only, without libraries of GPUs.
MeterSearch below(const FakeHost& host) {
  MeterSearch search;
  search.root = host.root();
  search.variables = [](const std::string&) { return std::nullopt; };
  search.nvml_library = (host.root() / "none/libnvidia-ml.so.1").string();
  search.rocm_library = (host.root() / "none/librocm_smi64.so").string();
  search.open_perf_event = [](std::uint32_t, std::uint64_t, int) { return -1; };
  return search;
}

std::map<std::string, const MeterInfo*> by_id(const FoundMeters& found) {
  std::map<std::string, const MeterInfo*> infos;
  for (const auto& meter : found.meters)
    if (is_energy(meter->info())) infos[meter->info().id] = &meter->info();
  return infos;
}

std::string reason_for(const FoundMeters& found, const std::string& source) {
  for (const auto& one : found.left_out)
    if (one.source == source) return one.reason;
  return "";
}

std::vector<std::string> covers(const FoundMeters& found) {
  std::vector<const MeterInfo*> meters;
  for (const auto& [id, info] : by_id(found)) meters.push_back(info);
  return metered_domains(meters);
}

TEST(PmCounters, FindsTheNodeAndItsParts) {
  FakeHost host;
  add_node(host);
  const auto found = find_pm_counters(below(host));
  const auto infos = by_id(found);
  ASSERT_EQ(infos.size(), 5u);
  const auto& node = *infos.at("pm_counters/energy");
  EXPECT_EQ(node.name, "node");
  EXPECT_EQ(node.domain, "machine");
  EXPECT_EQ(node.counted, Counted::alone);
  EXPECT_EQ(node.quality, Quality::sensor);
  EXPECT_EQ(node.kind, Kind::counter);
  EXPECT_EQ(node.quantum, 1);
  EXPECT_EQ(node.update, Seconds{0.1});
  EXPECT_TRUE(node.may_block);
  EXPECT_EQ(infos.at("pm_counters/cpu_energy")->domain, "package");
  EXPECT_EQ(infos.at("pm_counters/memory_energy")->domain, "dram");
  EXPECT_EQ(infos.at("pm_counters/accel1_energy")->domain, "gpu");
  EXPECT_EQ(infos.at("pm_counters/accel1_energy")->counted, Counted::yes);
  EXPECT_EQ(infos.at("pm_counters/accel1_energy")->name, "accel 1");
  EXPECT_TRUE(found.left_out.empty());
}

TEST(PmCounters, CountsJoules) {
  FakeHost host;
  write_joules(host, "energy", 18446744073709);
  const auto found = find_pm_counters(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  const Reading before = found.meters[0]->read();
  write_joules(host, "energy", 18446744074021);
  const auto joules = energy_between(found.meters[0]->info(), before, found.meters[0]->read());
  ASSERT_TRUE(joules.has_value());
  EXPECT_EQ(joules->value, 312);
}

TEST(PmCounters, TakesTheScanRateFromTheNode) {
  FakeHost host;
  add_node(host);
  host.write(counters / "raw_scan_hz", "4 Hz");
  EXPECT_EQ(find_pm_counters(below(host)).meters[0]->info().update, Seconds{0.25});
  host.write(counters / "raw_scan_hz", "0");
  EXPECT_EQ(find_pm_counters(below(host)).meters[0]->info().update, Seconds{0.1});
}

TEST(PmCounters, LeavesOutWhatTheNodeDoesNotHave) {
  FakeHost host;
  add_node(host);
  write_joules(host, "accel2_energy", 0);
  host.write(counters / "cpu_energy", "nonsense");
  host.write(counters / "memory_energy", "12 kWh 1700000000123456 us");
  const auto found = find_pm_counters(below(host));
  EXPECT_EQ(found.meters.size(), 3u);
  EXPECT_NE(reason_for(found, "pm_counters/accel2_energy").find("stays at 0"), std::string::npos);
  EXPECT_NE(reason_for(found, "pm_counters/cpu_energy").find("nonsense"), std::string::npos);
  EXPECT_NE(reason_for(found, "pm_counters/memory_energy").find("kWh"), std::string::npos);
}

TEST(PmCounters, CountsASumAndItsPartsOnce) {
  FakeHost host;
  add_node(host);
  write_joules(host, "accel_energy", 3100000);
  const auto found = find_pm_counters(below(host));
  EXPECT_FALSE(by_id(found).contains("pm_counters/accel_energy"));
  EXPECT_NE(reason_for(found, "pm_counters/accel_energy"), "");
  host.remove(counters / "accel0_energy");
  host.remove(counters / "accel1_energy");
  EXPECT_EQ(by_id(find_pm_counters(below(host))).at("pm_counters/accel_energy")->domain, "gpu");
}

TEST(PmCounters, AddsNoPartsThatOverlap) {
  FakeHost host;
  add_node(host);
  write_joules(host, "energy", 4200000);  // the parts have 4.3 MJ
  const auto found = find_pm_counters(below(host));
  const auto infos = by_id(found);
  EXPECT_EQ(infos.at("pm_counters/accel0_energy")->counted, Counted::inside);
  EXPECT_EQ(infos.at("pm_counters/accel0_energy")->domain, "rail:accel0");
  EXPECT_NE(infos.at("pm_counters/cpu_energy")->note.find("overlap"), std::string::npos);
  EXPECT_EQ(covers(found), std::vector<std::string>{"machine"});
}

TEST(PmCounters, NothingIsFoundElsewhere) {
  FakeHost host;
  host.write("sys/class/hwmon/.keep", "");
  const auto found = find_pm_counters(below(host));
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
}

TEST(PmCounters, AStoppedNodeControllerIsStuckAndNotZeroWatts) {
  FakeHost host;
  add_node(host);
  host.write(counters / "raw_scan_hz", "1000");  // 20 scans are missed after 20 ms
  const auto found = find_pm_counters(below(host));
  Meter& node = *found.meters.back();
  const auto pass = [] { std::this_thread::sleep_for(std::chrono::milliseconds(25)); };
  EXPECT_EQ(node.read().status, ReadStatus::ok);
  pass();
  host.write(counters / "freshness", "81468");
  EXPECT_EQ(node.read().status, ReadStatus::ok) << "the value may stay, the scan has changed";
  pass();
  EXPECT_EQ(node.read().status, ReadStatus::stuck);
  host.write(counters / "freshness", "81469");
  EXPECT_EQ(node.read().status, ReadStatus::ok);
}

TEST(PmCounters, OldNodesHaveNoFreshness) {
  FakeHost host;
  host.write(counters / "energy", "21453 J");
  const auto found = find_pm_counters(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->read().raw, 21453u);
  EXPECT_EQ(found.meters[0]->read().status, ReadStatus::ok);
}

TEST(PmCounters, MakeUpTheTotalWhereNothingElseIsReadable) {
  FakeHost host;
  add_node(host);
  EXPECT_EQ(covers(find_all(below(host))), (std::vector<std::string>{"dram", "gpu", "package"}));
}

TEST(PmCounters, RaplGoesFirst) {
  FakeHost host;
  add_node(host);
  const std::filesystem::path zone = "sys/class/powercap/intel-rapl:0";
  host.write(zone / "name", "package-0");
  host.write(zone / "max_energy_range_uj", "262143328850");
  host.write(zone / "energy_uj", "1000");
  const auto found = find_all(below(host));
  const auto infos = by_id(found);
  EXPECT_FALSE(infos.contains("pm_counters/cpu_energy"));
  EXPECT_EQ(reason_for(found, "pm_counters/cpu_energy"),
            "powercap/intel-rapl:0 covers the same package");
  EXPECT_TRUE(infos.contains("pm_counters/memory_energy")) << "RAPL of AMD counts no memory";
  EXPECT_TRUE(infos.contains("pm_counters/energy"));
  EXPECT_EQ(covers(found), (std::vector<std::string>{"dram", "gpu", "package"}));
}

TEST(PmCounters, LibrariesOfGpusGoFirst) {
  FakeHost host;
  add_node(host);
  auto search = below(host);
  search.nvml_library = NVML_STANDIN;
  const auto found = find_all(search);
  const auto infos = by_id(found);
  EXPECT_FALSE(infos.contains("pm_counters/accel0_energy"));
  EXPECT_TRUE(infos.contains("pm_counters/cpu_energy"));
  EXPECT_TRUE(reason_for(found, "pm_counters/accel0_energy").starts_with("nvml/"));
}

TEST(PmCounters, NoAccuracyIsPublished) {
  MeterInfo info;
  info.id = "pm_counters/energy";
  const auto accuracy = accuracy_of(info, nullptr);
  EXPECT_FALSE(accuracy.gain.has_value());
  EXPECT_EQ(accuracy.resolution, 1);
}

}  // namespace
}  // namespace prengdl
