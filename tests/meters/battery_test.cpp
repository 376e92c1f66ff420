// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fake_host.h"
#include "meters/sources.h"
#include "model/energy.h"

namespace prengdl {
namespace {

const std::filesystem::path supply = "sys/class/power_supply";

FoundMeters find_below(const FakeHost& host) {
  MeterSearch search;
  search.root = host.root();
  return find_battery(search);
}

void add_battery(FakeHost& host, const std::string& name, const std::string& status) {
  host.write(supply / name / "type", "Battery");
  host.write(supply / name / "present", "1");
  host.write(supply / name / "status", status);
}

TEST(Battery, MetersTheWholeMachineWhileItDischarges) {
  FakeHost host;
  add_battery(host, "BAT0", "Discharging");
  host.write(supply / "BAT0/power_now", "8250000");
  host.write(supply / "AC/type", "Mains");
  const auto found = find_below(host);
  ASSERT_EQ(found.meters.size(), 1u);
  const auto& info = found.meters[0]->info();
  EXPECT_EQ(info.domain, "machine");
  EXPECT_EQ(info.counted, Counted::alone);
  EXPECT_EQ(info.quality, Quality::sensor);
  EXPECT_EQ(info.period, Seconds{1});
  EXPECT_GE(info.update, Seconds{1});
  EXPECT_TRUE(info.may_block);
  EXPECT_NEAR(static_cast<double>(found.meters[0]->read().raw) * info.step, 8.25, 1e-9);
}

TEST(Battery, TakesPowerAsPositiveWhateverTheDriversSign) {
  FakeHost host;
  add_battery(host, "macsmc-battery", "Discharging");
  host.write(supply / "macsmc-battery/power_now", "-6100000");
  const auto found = find_below(host);
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->read().raw, 6100000u);
}

TEST(Battery, MultipliesVoltageAndCurrentWhereThereIsNoPower) {
  FakeHost host;
  add_battery(host, "BAT1", "Discharging");
  host.write(supply / "BAT1/voltage_now", "11400000");
  host.write(supply / "BAT1/current_now", "-1500000");
  const auto found = find_below(host);
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_NEAR(static_cast<double>(found.meters[0]->read().raw) * found.meters[0]->info().step, 17.1,
              1e-6);
}

TEST(Battery, CountsWhatIsMissingFromAFallingEnergy) {
  FakeHost host;
  add_battery(host, "BAT0", "Discharging");
  host.write(supply / "BAT0/energy_full", "50000000");
  host.write(supply / "BAT0/energy_now", "40000000");
  const auto found = find_below(host);
  ASSERT_EQ(found.meters.size(), 1u);
  const auto& info = found.meters[0]->info();
  EXPECT_EQ(info.kind, Kind::counter);
  const Reading before = found.meters[0]->read();
  host.write(supply / "BAT0/energy_now", "39900000");
  const auto joules = energy_between(info, before, found.meters[0]->read());
  ASSERT_TRUE(joules.has_value());
  EXPECT_NEAR(joules->value, 360.0, 1e-9);  // 0.1 Wh
  host.write(supply / "BAT0/energy_now", "51000000");
  EXPECT_EQ(found.meters[0]->read().raw, 0u);  // a gauge that learned: no wrap to a huge number
}

TEST(Battery, AdvisesToUnplugOnMains) {
  FakeHost host;
  add_battery(host, "BAT0", "Full");
  host.write(supply / "BAT0/power_now", "0");
  const auto found = find_below(host);
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("status: Full"), std::string::npos);
  EXPECT_NE(found.left_out[0].advice.find("unplug"), std::string::npos);
}

TEST(Battery, ReadsTheSecondBatteryThatWaitsForItsTurn) {
  FakeHost host;
  add_battery(host, "BAT0", "Discharging");
  host.write(supply / "BAT0/power_now", "7000000");
  add_battery(host, "BAT1", "Not charging");
  host.write(supply / "BAT1/power_now", "0");
  EXPECT_EQ(find_below(host).meters.size(), 2u);
}

TEST(Battery, IgnoresTheMouseAndAnEmptyBay) {
  FakeHost host;
  add_battery(host, "hidpp_battery_0", "Discharging");
  host.write(supply / "hidpp_battery_0/scope", "Device");
  add_battery(host, "BAT1", "Unknown");
  host.write(supply / "BAT1/present", "0");
  const auto found = find_below(host);
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Battery, SaysWhenItShowsNoFigureAtAll) {
  FakeHost host;
  add_battery(host, "BAT0", "Discharging");
  host.write(supply / "BAT0/capacity", "81");
  const auto found = find_below(host);
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("neither power"), std::string::npos);
}

}  // namespace
}  // namespace prengdl
