// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "fake_host.h"
#include "meters/sources.h"
#include "model/totals.h"

namespace prengdl {
namespace {

const std::filesystem::path hwmon = "sys/class/hwmon";

MeterSearch below(const FakeHost& host, std::vector<std::string> rails = {}) {
  MeterSearch search;
  search.root = host.root();
  search.rails = std::move(rails);
  return search;
}

const Meter* by_domain(const FoundMeters& found, const std::string& domain) {
  for (const auto& meter : found.meters)
    if (meter->info().domain == domain) return meter.get();
  return nullptr;
}

double value_of(Meter& meter) {
  const Reading reading = meter.read();
  EXPECT_EQ(reading.status, ReadStatus::ok);
  return static_cast<double>(static_cast<std::int64_t>(reading.raw)) * meter.info().step;
}

/// Orin Nano: one INA3221 with three rails, a sum and shunt voltages.
void fill_jetson(FakeHost& host) {
  host.write(hwmon / "hwmon3/name", "ina3221");
  host.link(hwmon / "hwmon3/device", "../../../1-0040");
  const char* labels[] = {"VDD_IN", "VDD_CPU_GPU_CV", "VDD_SOC"};
  const char* volts[] = {"5000", "5000", "4992"};
  const char* amperes[] = {"1200", "400", "300"};
  for (int i = 0; i < 3; ++i) {
    const auto n = std::to_string(i + 1);
    host.write(hwmon / "hwmon3" / ("in" + n + "_label"), labels[i]);
    host.write(hwmon / "hwmon3" / ("in" + n + "_input"), volts[i]);
    host.write(hwmon / "hwmon3" / ("curr" + n + "_input"), amperes[i]);
  }
  host.write(hwmon / "hwmon3/in4_input", "24");
  host.write(hwmon / "hwmon3/curr4_input", "1900");
  host.write(hwmon / "hwmon3/in7_label", "sum of shunt voltages");
  host.write(hwmon / "hwmon3/in7_input", "60");
}

/// Grace Hopper: one ACPI power meter per quantity, all files with the device.
void fill_grace(FakeHost& host, int sockets) {
  int n = 0;
  for (int socket = 0; socket < sockets; ++socket)
    for (const auto& [label, microwatts] : {std::pair("Module Power Socket ", "520000000"),
                                            {"Grace Power Socket ", "150000000"},
                                            {"CPU Power Socket ", "90000000"},
                                            {"SysIO Power Socket ", "30000000"}}) {
      const std::string device = "sys/devices/ACPI000D:0" + std::to_string(n);
      const auto entry = hwmon / ("hwmon" + std::to_string(n + 1));
      host.write(entry / "name", "power_meter");
      host.link(entry / "device", "../../../devices/ACPI000D:0" + std::to_string(n));
      host.write(device + "/power1_average", microwatts);
      host.write(device + "/power1_average_interval", "50");
      host.write(device + "/power1_oem_info", label + std::to_string(socket));
      ++n;
    }
}

TEST(Hwmon, GivesNothingWhereThereIsNone) {
  FakeHost host;
  const auto found = find_hwmon(below(host));
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Hwmon, MultipliesVoltsAndAmperesOfAJetsonRail) {
  FakeHost host;
  fill_jetson(host);
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 3u);  // neither the shunts nor their sum
  const auto& input = *found.meters[0];
  EXPECT_EQ(input.info().domain, "rail:VDD_IN");
  EXPECT_EQ(input.info().id, "hwmon/ina3221@1-0040/in1");
  EXPECT_EQ(input.info().counted, Counted::inside);
  EXPECT_EQ(input.info().quality, Quality::sensor);
  EXPECT_TRUE(input.info().may_block);
  EXPECT_EQ(input.info().period, Seconds{0.1});
  EXPECT_NEAR(value_of(*found.meters[0]), 6.0, 1e-9);
  EXPECT_NEAR(value_of(*found.meters[2]), 1.4976, 1e-9);
  host.write(hwmon / "hwmon3/curr1_input", "-100");
  EXPECT_NEAR(value_of(*found.meters[0]), -0.5, 1e-9);
}

TEST(Hwmon, TakesTheUsersWordForWhatARailCovers) {
  FakeHost host;
  fill_jetson(host);
  const auto found = find_hwmon(below(host, {"VDD_IN=machine", "VDD_SOC=soc"}));
  ASSERT_EQ(found.meters.size(), 3u);
  ASSERT_NE(by_domain(found, "machine"), nullptr);
  EXPECT_EQ(by_domain(found, "machine")->info().counted, Counted::alone);
  ASSERT_NE(by_domain(found, "soc"), nullptr);
  EXPECT_EQ(by_domain(found, "soc")->info().counted, Counted::yes);
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Hwmon, NamesTheRailsThatExistWhenOneIsMisspelt) {
  FakeHost host;
  fill_jetson(host);
  const auto found = find_hwmon(below(host, {"VDD_INN=machine", "nonsense"}));
  ASSERT_EQ(found.left_out.size(), 2u);
  EXPECT_NE(found.left_out[0].reason.find("LABEL=DOMAIN"), std::string::npos);
  EXPECT_NE(found.left_out[1].reason.find("no rail 'VDD_INN'"), std::string::npos);
  EXPECT_NE(found.left_out[1].advice.find("VDD_CPU_GPU_CV, VDD_IN, VDD_SOC"), std::string::npos);
  EXPECT_NE(found.left_out[1].advice.find("did you mean VDD_IN?"), std::string::npos);
  EXPECT_EQ(found.left_out[0].asked, Asked::wrongly);
  EXPECT_EQ(found.left_out[1].asked, Asked::yes);
}

TEST(Hwmon, CountsTheGraceSocketsOnce) {
  FakeHost host;
  fill_grace(host, 2);
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 8u);
  std::vector<const MeterInfo*> infos;
  for (const auto& meter : found.meters) infos.push_back(&meter->info());
  EXPECT_EQ(metered_domains(infos), std::vector<std::string>{"package"});
  EXPECT_EQ(by_domain(found, "cores")->info().counted, Counted::inside);
  EXPECT_EQ(by_domain(found, "uncore")->info().counted, Counted::inside);
  EXPECT_EQ(by_domain(found, "module")->info().counted, Counted::alone);
  const auto& socket = by_domain(found, "package")->info();
  EXPECT_EQ(socket.name, "Grace Power Socket 0");
  EXPECT_EQ(socket.window, Seconds{0.05});
  EXPECT_TRUE(socket.may_block);
  EXPECT_NEAR(value_of(*found.meters[1]), 150.0, 1e-9);
}

TEST(Hwmon, LeavesAnUnknownPowerMeterToTheUser) {
  FakeHost host;
  host.write(hwmon / "hwmon0/name", "power_meter");
  host.write(hwmon / "hwmon0/device/power1_average", "210000000");
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().domain, "rail:power_meter-power1");
  EXPECT_EQ(found.meters[0]->info().counted, Counted::inside);
}

TEST(Hwmon, NamesAnAmdGpuByItsPciAddress) {
  FakeHost host;
  host.write(hwmon / "hwmon5/name", "amdgpu");
  host.link(hwmon / "hwmon5/device", "../../../0000:03:00.0");
  host.write(hwmon / "hwmon5/power1_average", "45000000");
  host.write(hwmon / "hwmon5/power1_input", "99000000");
  host.write(hwmon / "hwmon5/power1_cap", "300000000");
  host.write(hwmon / "hwmon5/in0_label", "vddgfx");
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  const auto& info = found.meters[0]->info();
  EXPECT_EQ(info.id, "hwmon/amdgpu@0000:03:00.0/power1");
  EXPECT_EQ(info.domain, "gpu");
  EXPECT_EQ(info.counted, Counted::yes);
  EXPECT_NEAR(value_of(*found.meters[0]), 45.0, 1e-9);
}

TEST(Hwmon, DoesNotAddAnApuToItsOwnPackage) {
  FakeHost host;
  host.write(hwmon / "hwmon2/name", "amdgpu");
  host.link(hwmon / "hwmon2/device", "../../../0000:c4:00.0");
  host.write(hwmon / "hwmon2/power1_input", "12000000");
  host.write(hwmon / "hwmon2/in1_label", "vddnb");
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().domain, "igpu");
  EXPECT_EQ(found.meters[0]->info().counted, Counted::inside);
}

TEST(Hwmon, CountsTheCardOfAnIntelGpuAndNotItsPackageAgain) {
  FakeHost host;
  host.write(hwmon / "hwmon4/name", "xe");
  host.link(hwmon / "hwmon4/device", "../../../0000:04:00.0");
  host.write(hwmon / "hwmon4/energy1_input", "5000000");
  host.write(hwmon / "hwmon4/energy1_label", "card");
  host.write(hwmon / "hwmon4/energy2_input", "4000000");
  host.write(hwmon / "hwmon4/energy2_label", "pkg");
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 2u);
  EXPECT_EQ(found.meters[0]->info().domain, "gpu");
  EXPECT_EQ(found.meters[0]->info().kind, Kind::counter);
  EXPECT_EQ(found.meters[0]->info().counted, Counted::yes);
  EXPECT_EQ(found.meters[0]->info().period, Seconds{0.01});
  EXPECT_EQ(found.meters[1]->info().domain, "rail:pkg");
  EXPECT_EQ(found.meters[1]->info().counted, Counted::inside);
  const Reading before = found.meters[0]->read();
  host.write(hwmon / "hwmon4/energy1_input", "7500000");
  const auto joules = energy_between(found.meters[0]->info(), before, found.meters[0]->read());
  ASSERT_TRUE(joules.has_value());
  EXPECT_NEAR(joules->value, 2.5, 1e-9);
}

TEST(Hwmon, TakesThePackageOfAnIntelGpuThatShowsNothingElse) {
  FakeHost host;
  host.write(hwmon / "hwmon4/name", "xe");
  host.write(hwmon / "hwmon4/energy2_input", "4000000");
  host.write(hwmon / "hwmon4/energy2_label", "pkg");
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().domain, "gpu");
  EXPECT_NE(found.meters[0]->info().note.find("without the rest"), std::string::npos);
}

TEST(Hwmon, IsNotFooledByBatteriesTemperaturesOrLoosePins) {
  FakeHost host;
  host.write("sys/class/power_supply/BAT0/type", "Battery");
  host.write(hwmon / "hwmon0/name", "BAT0");
  host.write(hwmon / "hwmon0/power1_input", "9000000");
  host.write(hwmon / "hwmon1/name", "coretemp");
  host.write(hwmon / "hwmon1/temp1_input", "45000");
  host.write(hwmon / "hwmon2/name", "nct6798");
  host.write(hwmon / "hwmon2/in1_input", "1000");
  host.write(hwmon / "hwmon2/curr1_input", "2000");
  host.write(hwmon / "hwmon3/name", "ina3221");
  host.write(hwmon / "hwmon3/in1_label", "NC");
  host.write(hwmon / "hwmon3/in1_input", "0");
  host.write(hwmon / "hwmon3/curr1_input", "0");
  EXPECT_TRUE(find_hwmon(below(host)).meters.empty());
}

TEST(Hwmon, TellsTwinChipsApart) {
  FakeHost host;
  for (const char* entry : {"hwmon0", "hwmon1"}) {
    host.write(hwmon / entry / "name", "pmbus");
    host.write(hwmon / entry / "power1_input", "100000000");
    host.write(hwmon / entry / "power1_label", "pin");
  }
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 2u);
  EXPECT_NE(found.meters[0]->info().id, found.meters[1]->info().id);
}

TEST(Hwmon, ReadsOnlyTheFirstOfAHundredCores) {
  FakeHost host;
  host.write(hwmon / "hwmon0/name", "amd_energy");
  for (int i = 1; i <= 100; ++i)
    host.write(hwmon / "hwmon0" / ("energy" + std::to_string(i) + "_input"), "1");
  const auto found = find_hwmon(below(host));
  EXPECT_EQ(found.meters.size(), 16u);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("100 rails"), std::string::npos);
}

TEST(Hwmon, LeavesOutASensorThatGivesNoNumber) {
  FakeHost host;
  host.write(hwmon / "hwmon0/name", "ina226");
  host.write(hwmon / "hwmon0/power1_input", "n/a");
  const auto found = find_hwmon(below(host));
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("power1_input"), std::string::npos);
}

TEST(Hwmon, SaysWhichSensorItMayNotRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads a file without permissions all the same";
  FakeHost host;
  host.write(hwmon / "hwmon0/name", "ina226");
  host.write(hwmon / "hwmon0/power1_input", "1000000");
  host.forbid(hwmon / "hwmon0/power1_input");
  const auto found = find_hwmon(below(host));
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("Permission denied"), std::string::npos);
  EXPECT_FALSE(found.left_out[0].advice.empty());
}

TEST(Hwmon, ReportsASensorThatGoesAway) {
  FakeHost host;
  fill_jetson(host);
  const auto found = find_hwmon(below(host));
  ASSERT_EQ(found.meters.size(), 3u);
  std::filesystem::resize_file(host.root() / hwmon / "hwmon3/in1_input", 0);
  EXPECT_EQ(found.meters[0]->read().status, ReadStatus::gone);
}

}  // namespace
}  // namespace prengdl
