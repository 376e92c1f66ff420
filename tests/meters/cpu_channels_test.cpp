// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "fake_host.h"
#include "meters/sources.h"

namespace prengdl {
namespace {

const std::filesystem::path cpus = "sys/devices/system/cpu";
const std::filesystem::path hwmon = "sys/class/hwmon";

FoundMeters find_below(const FakeHost& host) {
  MeterSearch search;
  search.root = host.root();
  return find_cpu_channels(search);
}

std::vector<const Meter*> of_domain(const FoundMeters& found, const std::string& domain) {
  std::vector<const Meter*> meters;
  for (const auto& meter : found.meters)
    if (meter->info().domain == domain) meters.push_back(meter.get());
  return meters;
}

/// CPU n and n + cores are the threads of one core.
void fill_frequencies(FakeHost& host, int cores, bool smt) {
  const int threads = smt ? 2 * cores : cores;
  host.write(cpus / "online", "0-" + std::to_string(threads - 1));
  for (int i = 0; i < threads; ++i) {
    const auto cpu = cpus / ("cpu" + std::to_string(i));
    host.write(cpu / "cpufreq/scaling_cur_freq", std::to_string(2000000 + i));
    const auto core = std::to_string(i % cores);
    host.write(cpu / "topology/thread_siblings_list",
               smt ? core + "," + std::to_string(i % cores + cores) : core);
  }
}

TEST(CpuChannels, GiveNothingInAMachineWithoutThem) {
  FakeHost host;
  host.write(cpus / "online", "0-1");
  const auto found = find_below(host);
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
}

TEST(CpuChannels, ReadTheClockOfFourCoresSpreadOverTheMachine) {
  FakeHost host;
  fill_frequencies(host, 16, true);
  const auto found = find_below(host);
  const auto clocks = of_domain(found, "cpu_frequency");
  ASSERT_EQ(clocks.size(), 4u);
  std::set<std::uint64_t> cores;
  for (const auto& meter : found.meters) {
    const auto& info = meter->info();
    EXPECT_EQ(info.counted, Counted::channel);
    EXPECT_EQ(info.unit, Unit::hertz);
    EXPECT_EQ(info.period, Seconds{1});
    EXPECT_DOUBLE_EQ(info.step, 1000);
    cores.insert((meter->read().raw - 2000000) % 16);
  }
  EXPECT_EQ(cores.size(), 4u) << "two of the CPUs are threads of one core";
}

TEST(CpuChannels, ReadEachClockOfASmallMachineOnce) {
  FakeHost host;
  fill_frequencies(host, 2, false);
  EXPECT_EQ(find_below(host).meters.size(), 2u);
}

TEST(CpuChannels, FindTheTemperatureOfEachSocketByItsLabel) {
  FakeHost host;
  for (int socket = 0; socket < 2; ++socket) {
    const auto chip = hwmon / ("hwmon" + std::to_string(socket + 3));
    host.write(chip / "name", "coretemp");
    host.write(chip / "temp1_label", "Package id " + std::to_string(socket));
    host.write(chip / "temp1_input", std::to_string(41000 + socket));
    host.write(chip / "temp2_label", "Core 0");
    host.write(chip / "temp2_input", "39000");
  }
  host.write("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp");
  host.write("sys/class/thermal/thermal_zone0/temp", "41000");
  const auto found = find_below(host);
  ASSERT_EQ(found.meters.size(), 2u);  // the thermal zone is the same sensor
  EXPECT_EQ(found.meters[0]->info().domain, "cpu_temperature");
  EXPECT_EQ(found.meters[0]->info().unit, Unit::celsius);
  EXPECT_EQ(found.meters[0]->info().period, Seconds{0.5});
  EXPECT_NE(found.meters[0]->info().id, found.meters[1]->info().id);
  EXPECT_NEAR(static_cast<double>(found.meters[1]->read().raw) * 1e-3, 41.001, 1e-9);
}

TEST(CpuChannels, KnowAmdsTctl) {
  FakeHost host;
  host.write(hwmon / "hwmon1/name", "k10temp");
  host.write(hwmon / "hwmon1/temp1_label", "Tctl");
  host.write(hwmon / "hwmon1/temp1_input", "52125");
  host.write(hwmon / "hwmon1/temp3_label", "Tccd1");
  host.write(hwmon / "hwmon1/temp3_input", "50000");
  const auto found = find_below(host);
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().name, "k10temp Tctl");
}

TEST(CpuChannels, FallBackOnTheThermalZoneOfABoard) {
  FakeHost host;
  host.write("sys/class/thermal/thermal_zone0/type", "gpu-thermal");
  host.write("sys/class/thermal/thermal_zone0/temp", "40000");
  host.write("sys/class/thermal/thermal_zone1/type", "cpu-thermal");
  host.write("sys/class/thermal/thermal_zone1/temp", "47500");
  const auto found = find_below(host);
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().id, "thermal/thermal_zone1");
  EXPECT_TRUE(found.meters[0]->info().may_block);
}

TEST(CpuChannels, LeaveOutASensorThatGivesNoNumber) {
  FakeHost host;
  host.write("sys/class/thermal/thermal_zone0/type", "cpu-thermal");
  host.write("sys/class/thermal/thermal_zone0/temp", "?");
  const auto found = find_below(host);
  EXPECT_TRUE(found.meters.empty());
  EXPECT_EQ(found.left_out.size(), 1u);
}

}  // namespace
}  // namespace prengdl
