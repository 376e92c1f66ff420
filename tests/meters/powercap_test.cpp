// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "fake_host.h"
#include "meters/sources.h"
#include "model/energy.h"
#include "model/totals.h"

namespace prengdl {
namespace {

const std::filesystem::path powercap = "sys/class/powercap";
const std::string range = "262143328850";  // of a real part: 2^32 units of 2^-14 J

MeterSearch below(const FakeHost& host) {
  MeterSearch search;
  search.root = host.root();
  return search;
}

void add_zone(FakeHost& host, const std::string& entry, const std::string& name,
              const std::string& energy = "1000000") {
  host.write(powercap / entry / "name", name);
  host.write(powercap / entry / "max_energy_range_uj", range);
  host.write(powercap / entry / "energy_uj", energy);
}

/// A control type, which lies beside its zones but is none.
void add_control_type(FakeHost& host, const std::string& entry) {
  host.write(powercap / entry / "enabled", "1");
}

const Meter* by_id(const FoundMeters& found, const std::string& id) {
  for (const auto& meter : found.meters)
    if (meter->info().id == id) return meter.get();
  return nullptr;
}

const LeftOut* left_out(const FoundMeters& found, const std::string& id) {
  for (const auto& one : found.left_out)
    if (one.source == id) return &one;
  return nullptr;
}

/// How many meters each domain has.
std::map<std::string, int> domains(const FoundMeters& found) {
  std::map<std::string, int> counts;
  for (const auto& meter : found.meters) ++counts[meter->info().domain];
  return counts;
}

using Domains = std::map<std::string, int>;

TEST(Powercap, FindsNothingWhereThereIsNone) {
  FakeHost host;
  const auto found = find_powercap(below(host));
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Powercap, IgnoresOtherControlTypes) {
  FakeHost host;
  add_control_type(host, "intel-rapl");
  add_control_type(host, "dtpm");
  host.write(powercap / "dtpm:0/name", "soc");
  host.write(powercap / "intel-rapl:0/enabled", "1");  // a zone without a name
  const auto found = find_powercap(below(host));
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Powercap, FindsTheDomainsOfTwoSockets) {
  FakeHost host;
  add_control_type(host, "intel-rapl");
  for (const std::string socket : {"0", "1"}) {
    add_zone(host, "intel-rapl:" + socket, "package-" + socket, socket + "000");
    add_zone(host, "intel-rapl:" + socket + ":0", "core");
    add_zone(host, "intel-rapl:" + socket + ":1", "uncore");
    add_zone(host, "intel-rapl:" + socket + ":2", "dram");
  }
  const auto found = find_powercap(below(host));
  EXPECT_TRUE(found.left_out.empty());
  EXPECT_EQ(domains(found), (Domains{{"package", 2}, {"cores", 2}, {"uncore", 2}, {"dram", 2}}));

  const auto* package = by_id(found, "powercap/intel-rapl:1");
  ASSERT_NE(package, nullptr);
  EXPECT_EQ(package->info().name, "package-1");
  EXPECT_EQ(package->info().counted, Counted::yes);
  EXPECT_EQ(package->info().kind, Kind::counter);
  EXPECT_EQ(package->info().unit, Unit::joule);
  EXPECT_EQ(package->info().quality, Quality::chip);
  EXPECT_DOUBLE_EQ(package->info().step, 1e-6);
  EXPECT_EQ(package->info().range, 262143328851u);
  EXPECT_EQ(package->info().source, (host.root() / powercap / "intel-rapl:1/energy_uj").string());

  const auto* cores = by_id(found, "powercap/intel-rapl:1:0");
  ASSERT_NE(cores, nullptr);
  EXPECT_EQ(cores->info().name, "package-1 core");
  EXPECT_EQ(cores->info().counted, Counted::inside);
  EXPECT_EQ(cores->info().period, Seconds{0.01});  // and not read at each of 1000 ticks per second
  EXPECT_EQ(package->info().period, Seconds{0});
  EXPECT_EQ(by_id(found, "powercap/intel-rapl:0:1")->info().counted, Counted::inside);
  EXPECT_EQ(by_id(found, "powercap/intel-rapl:0:2")->info().counted, Counted::yes);
}

/// As the kernel lays them out: parts inside their package, and in the class a link to each.
TEST(Powercap, FindsZonesThatAreLinksToNestedDirectories) {
  FakeHost host;
  const std::filesystem::path devices = "sys/devices/virtual/powercap/intel-rapl";
  std::filesystem::create_directories(host.root() / powercap);
  const auto add = [&](const std::filesystem::path& inside, const std::string& entry,
                       const std::string& name, const std::string& energy) {
    const auto zone = devices / inside / entry;
    host.write(zone / "name", name);
    host.write(zone / "max_energy_range_uj", range);
    host.write(zone / "energy_uj", energy);
    std::filesystem::create_symlink("../../../" / zone, host.root() / powercap / entry);
  };
  add("", "intel-rapl:0", "package-0", "100");
  add("intel-rapl:0", "intel-rapl:0:0", "core", "101");
  add("", "intel-rapl:1", "package-1", "200");
  add("intel-rapl:1", "intel-rapl:1:0", "core", "201");
  add("intel-rapl:1", "intel-rapl:1:1", "dram", "202");
  add("", "intel-rapl:10", "psys", "300");
  const auto found = find_powercap(below(host));
  ASSERT_EQ(found.meters.size(), 6u);
  std::map<std::string, std::uint64_t> values;
  for (const auto& meter : found.meters) values[meter->info().id] = meter->read().raw;
  EXPECT_EQ(values["powercap/intel-rapl:0:0"], 101u);
  EXPECT_EQ(values["powercap/intel-rapl:1:0"], 201u);
  EXPECT_EQ(values["powercap/intel-rapl:1:1"], 202u);
  EXPECT_EQ(values["powercap/intel-rapl:10"], 300u);
  EXPECT_EQ(by_id(found, "powercap/intel-rapl:1:1")->info().name, "package-1 dram");
}

TEST(Powercap, GoesByTheNameOfAZoneNotByItsNumber) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-1", "111");
  add_zone(host, "intel-rapl:0:0", "dram", "112");
  add_zone(host, "intel-rapl:1", "package-0", "221");
  add_zone(host, "intel-rapl:1:0", "core", "222");
  add_zone(host, "intel-rapl:1:1", "dram", "223");
  const auto found = find_powercap(below(host));
  ASSERT_EQ(found.meters.size(), 5u);
  std::map<std::string, std::uint64_t> values;
  for (const auto& meter : found.meters) values[meter->info().name] = meter->read().raw;
  EXPECT_EQ(values, (std::map<std::string, std::uint64_t>{{"package-1", 111},
                                                          {"package-1 dram", 112},
                                                          {"package-0", 221},
                                                          {"package-0 core", 222},
                                                          {"package-0 dram", 223}}));
}

TEST(Powercap, FindsPackageAndCoresOfAnAmdPart) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  add_zone(host, "intel-rapl:0:0", "core");
  const auto found = find_powercap(below(host));
  EXPECT_EQ(domains(found), (Domains{{"package", 1}, {"cores", 1}}));
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Powercap, TakesPsysForThePlatform) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  add_zone(host, "intel-rapl:1", "psys");
  const auto found = find_powercap(below(host));
  const auto* psys = by_id(found, "powercap/intel-rapl:1");
  ASSERT_NE(psys, nullptr);
  EXPECT_EQ(psys->info().domain, "platform");
  EXPECT_EQ(psys->info().counted, Counted::platform);
}

TEST(Powercap, AZoneOfUnknownNameIsShownButNotCounted) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  add_zone(host, "intel-rapl:0:0", "npu");
  const auto found = find_powercap(below(host));
  const auto* zone = by_id(found, "powercap/intel-rapl:0:0");
  ASSERT_NE(zone, nullptr);
  EXPECT_EQ(zone->info().domain, "rail:npu");
  EXPECT_EQ(zone->info().counted, Counted::inside);
}

TEST(Powercap, DoesNotCountMemoryMappedRegistersOnceMore) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0", "5000");
  add_zone(host, "intel-rapl:0:0", "core");
  add_zone(host, "intel-rapl-mmio:0", "package-0", "5003");
  add_zone(host, "intel-rapl-mmio:0:0", "dram");  // only there: new joules
  const auto found = find_powercap(below(host));
  EXPECT_EQ(domains(found), (Domains{{"package", 1}, {"cores", 1}, {"dram", 1}}));
  const auto* again = left_out(found, "powercap/intel-rapl-mmio:0");
  ASSERT_NE(again, nullptr);
  EXPECT_NE(again->reason.find("the same joules again"), std::string::npos);
  EXPECT_EQ(found.left_out.size(), 1u);
}

TEST(Powercap, CountsMemoryMappedRegistersThatStandAlone) {
  FakeHost host;
  add_zone(host, "intel-rapl-mmio:0", "package-0");
  const auto found = find_powercap(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().domain, "package");
  EXPECT_EQ(found.meters[0]->info().counted, Counted::yes);
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Powercap, NoticesOneCounterShownForTwoDies) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0-die-0", "777000");
  add_zone(host, "intel-rapl:1", "package-0-die-1", "777000");
  const auto found = find_powercap(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().name, "package-0-die-0");
  const auto* twin = left_out(found, "powercap/intel-rapl:1");
  ASSERT_NE(twin, nullptr);
  EXPECT_EQ(twin->reason, "package-0-die-1 shows the same counter as powercap/intel-rapl:0");
}

TEST(Powercap, NoticesMirroredPartsOfDiesToo) {
  FakeHost host;
  for (const std::string die : {"0", "1"}) {
    add_zone(host, "intel-rapl:" + die, "package-0-die-" + die, "777000");
    add_zone(host, "intel-rapl:" + die + ":0", "dram", "333000");
  }
  const auto found = find_powercap(below(host));
  EXPECT_EQ(domains(found), (Domains{{"package", 1}, {"dram", 1}}));
  EXPECT_NE(left_out(found, "powercap/intel-rapl:1:0"), nullptr);
}

TEST(Powercap, AddsDiesThatCountForThemselves) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0-die-0", "777000");
  add_zone(host, "intel-rapl:1", "package-0-die-1", "777001");
  add_zone(host, "intel-rapl:2", "package-1-die-0", "777000");  // equal by chance: another socket
  const auto found = find_powercap(below(host));
  EXPECT_EQ(domains(found), (Domains{{"package", 3}}));
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Powercap, TwoCountersAtZeroAreNotTakenForOne) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0-die-0", "0");
  add_zone(host, "intel-rapl:1", "package-0-die-1", "0");
  EXPECT_EQ(find_powercap(below(host)).meters.size(), 2u);
}

TEST(Powercap, TwoSocketsWithEqualCountersAreBothCounted) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0", "5000");
  add_zone(host, "intel-rapl:1", "package-1", "5000");
  EXPECT_EQ(domains(find_powercap(below(host))), (Domains{{"package", 2}}));
}

TEST(Powercap, CountsOnAcrossAWrap) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0", "900000");
  host.write(powercap / "intel-rapl:0/max_energy_range_uj", "999999");
  const auto found = find_powercap(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  const Reading before = found.meters[0]->read();
  host.write(powercap / "intel-rapl:0/energy_uj", "100000");
  const Reading after = found.meters[0]->read();
  ASSERT_GE(after.at_ns, before.at_ns);
  const auto energy = energy_between(found.meters[0]->info(), before, after);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value, 0.2, 1e-12);
}

TEST(Powercap, LeavesOutACounterWhoseRangeIsNotKnown) {
  for (const auto* text : {"", "0", "-1", "much"}) {
    FakeHost host;
    add_zone(host, "intel-rapl:0", "package-0");
    host.write(powercap / "intel-rapl:0/max_energy_range_uj", text);
    if (std::string(text).empty()) host.remove(powercap / "intel-rapl:0/max_energy_range_uj");
    const auto found = find_powercap(below(host));
    EXPECT_TRUE(found.meters.empty()) << text;
    ASSERT_EQ(found.left_out.size(), 1u) << text;
    EXPECT_EQ(found.left_out[0].source, "powercap/intel-rapl:0");
    EXPECT_NE(found.left_out[0].reason.find("max_energy_range_uj"), std::string::npos);
    EXPECT_FALSE(found.left_out[0].advice.empty());
  }
}

TEST(Powercap, SaysWhatToDoAboutAMissingPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  host.forbid(powercap / "intel-rapl:0/energy_uj");
  const auto found = find_powercap(below(host));
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("Permission denied"), std::string::npos);
  EXPECT_NE(found.left_out[0].advice.find("doctor --fix"), std::string::npos);
}

TEST(Powercap, LeavesOutAZoneWithoutACounterAndKeepsTheOthers) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  add_zone(host, "intel-rapl:1", "package-1");
  host.remove(powercap / "intel-rapl:0/energy_uj");
  const auto found = find_powercap(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().name, "package-1");
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("energy_uj: No such file"), std::string::npos);
}

TEST(Powercap, LeavesOutACounterThatCannotBeRead) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  host.remove(powercap / "intel-rapl:0/energy_uj");
  host.write(powercap / "intel-rapl:0/energy_uj/inner", "");  // a directory: opens, but reads fail
  const auto found = find_powercap(below(host));
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("read failed"), std::string::npos);
}

TEST(Powercap, LeavesOutACounterThatIsNoNumber) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0", "lots");
  const auto found = find_powercap(below(host));
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("not a number"), std::string::npos);
}

TEST(Powercap, TellsWhatBecameOfAZoneWhileItIsSampled) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0", "4000");
  const auto energy = powercap / "intel-rapl:0/energy_uj";
  const auto found = find_powercap(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  auto& meter = *found.meters[0];
  EXPECT_EQ(meter.read().raw, 4000u);

  host.write(energy, "garbage");
  EXPECT_EQ(meter.read().status, ReadStatus::not_a_number);

  std::filesystem::resize_file(host.root() / energy, 0);
  const Reading gone = meter.read();
  EXPECT_EQ(gone.status, ReadStatus::gone);
  EXPECT_GT(gone.at_ns, 0) << "a failure has its time as well";

  host.write(energy, "4100");
  const Reading back = meter.read();
  EXPECT_EQ(back.status, ReadStatus::ok);
  EXPECT_EQ(back.raw, 4100u);
}

TEST(Powercap, InAGuestTheHypervisorAnswers) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  host.write("proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu hypervisor sse");
  const auto guest = find_powercap(below(host));
  ASSERT_EQ(guest.meters.size(), 1u);
  EXPECT_EQ(guest.meters[0]->info().quality, Quality::virtual_machine);

  host.write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu sse");
  EXPECT_EQ(find_powercap(below(host)).meters[0]->info().quality, Quality::chip);
}

TEST(Powercap, MetersPackagesAndMemoryOnce) {
  FakeHost host;
  for (const std::string socket : {"0", "1"}) {
    add_zone(host, "intel-rapl:" + socket, "package-" + socket);
    add_zone(host, "intel-rapl:" + socket + ":0", "core");
    add_zone(host, "intel-rapl:" + socket + ":1", "dram");
    add_zone(host, "intel-rapl-mmio:" + socket, "package-" + socket);
  }
  add_zone(host, "intel-rapl:2", "psys");
  const auto found = find_powercap(below(host));
  std::vector<MeterEnergy> energies;
  for (const auto& meter : found.meters)
    energies.push_back({&meter->info(), Energy{Joules{10}, Joules{1}, meter->info().quality}});
  const auto totals = total(energies);
  EXPECT_EQ(totals.covers, (std::vector<std::string>{"dram", "package"}));
  ASSERT_TRUE(totals.metered);
  EXPECT_DOUBLE_EQ(totals.metered->value.value, 40);
}

TEST(Powercap, TellsOfAZoneThatIsThereAndCannotBeRead) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  add_zone(host, "intel-rapl:1", "package-1");
  std::filesystem::remove(host.root() / powercap / "intel-rapl:1/energy_uj");
  std::filesystem::create_directory(host.root() / powercap / "intel-rapl:1/energy_uj");
  const auto found = find_powercap(below(host));
  EXPECT_EQ(domains(found), (Domains{{"package", 1}}));
  const LeftOut* one = left_out(found, "powercap/intel-rapl:1");
  ASSERT_TRUE(one);
  EXPECT_NE(one->trouble, 0);
  EXPECT_EQ(one->domain, "package");
  EXPECT_THROW(refuse_incomplete(found), Error);
}

TEST(Powercap, AZoneWhoseWrapIsUnknownWouldBeMissing) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  add_zone(host, "intel-rapl:1", "package-1");
  host.write(powercap / "intel-rapl:1/max_energy_range_uj", "0");
  EXPECT_THROW(refuse_incomplete(find_powercap(below(host))), Error);
}

TEST(Powercap, AZoneWithoutACounterIsNoTrouble) {
  FakeHost host;
  add_zone(host, "intel-rapl:0", "package-0");
  add_zone(host, "intel-rapl:1", "package-1");
  std::filesystem::remove(host.root() / powercap / "intel-rapl:1/energy_uj");
  const auto found = find_powercap(below(host));
  EXPECT_NO_THROW(refuse_incomplete(found));
}

TEST(Powercap, TellsThatItRanOutOfDescriptors) {
  FakeHost host;
  for (int i = 0; i < 4; ++i)
    add_zone(host, fmt::format("intel-rapl:{}", i), fmt::format("package-{}", i));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(STDIN_FILENO);
  close(next);
  bool has_all = false;
  for (int room = 0; room < 40 && !has_all; ++room) {
    const rlimit low{static_cast<rlim_t>(next + room), before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    const auto found = find_powercap(below(host));
    setrlimit(RLIMIT_NOFILE, &before);
    has_all = found.meters.size() == 4;
    if (has_all)
      EXPECT_NO_THROW(refuse_incomplete(found));
    else
      EXPECT_THROW(refuse_incomplete(found), Error) << room << " descriptors";
  }
  EXPECT_TRUE(has_all);
}

}  // namespace
}  // namespace prengdl
