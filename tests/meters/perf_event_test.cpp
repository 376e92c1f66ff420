// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "fake_host.h"
#include "meters/sources.h"
#include "model/energy.h"

namespace prengdl {
namespace {

const std::filesystem::path pmu = "sys/bus/event_source/devices/power";
const std::string scale = "2.3283064365386962890625e-10";  // 2^-32, as the kernel writes it

void add_event(FakeHost& host, const std::string& name, const std::string& config) {
  host.write(pmu / "events" / name, config);
  host.write(pmu / "events" / (name + ".scale"), scale);
  host.write(pmu / "events" / (name + ".unit"), "Joules");
}

void add_pmu(FakeHost& host, const std::string& cpus = "0") {
  host.write(pmu / "type", "23");
  host.write(pmu / "cpumask", cpus);
  add_event(host, "energy-pkg", "event=0x02");
}

struct Opened {
  std::uint32_t type;
  std::uint64_t config;
  int cpu;
  bool operator==(const Opened&) const = default;
};

/// A descriptor from which the values come one after the other, and then nothing more.
int pipe_with(const std::vector<std::uint64_t>& values) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const auto bytes = values.size() * sizeof(std::uint64_t);
  EXPECT_EQ(::write(ends[1], values.data(), bytes), static_cast<ssize_t>(bytes));
  ::close(ends[1]);
  return ends[0];
}

/// A search whose perf events are pipes with the same values, and a list of what was opened.
MeterSearch search_with(const FakeHost& host, std::vector<Opened>& opened,
                        std::vector<std::uint64_t> values = {1}) {
  MeterSearch search;
  search.root = host.root();
  search.open_perf_event = [&opened, values = std::move(values)](std::uint32_t type,
                                                                 std::uint64_t config, int cpu) {
    opened.push_back({type, config, cpu});
    return pipe_with(values);
  };
  return search;
}

/// A search in which the kernel refuses with the given errno.
MeterSearch refused(const FakeHost& host, int error_number) {
  MeterSearch search;
  search.root = host.root();
  search.open_perf_event = [error_number](std::uint32_t, std::uint64_t, int) {
    errno = error_number;
    return -1;
  };
  return search;
}

TEST(PerfEvent, FindsNothingWithoutAPowerPmu) {
  FakeHost host;
  std::vector<Opened> opened;
  const auto found = find_perf_event(search_with(host, opened));
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
  EXPECT_TRUE(opened.empty());
}

TEST(PerfEvent, OpensWhatTheKernelDescribes) {
  FakeHost host;
  add_pmu(host);
  add_event(host, "energy-ram", "event=0x03,umask=0x01");
  std::vector<Opened> opened;
  const auto found = find_perf_event(search_with(host, opened));
  EXPECT_EQ(opened, (std::vector<Opened>{{23, 0x02, 0}, {23, 0x103, 0}}));
  ASSERT_EQ(found.meters.size(), 2u);
  const auto& package = found.meters[0]->info();
  EXPECT_EQ(package.id, "perf/energy-pkg/cpu0");
  EXPECT_EQ(package.name, "energy-pkg");
  EXPECT_EQ(package.domain, "package");
  EXPECT_EQ(package.kind, Kind::counter);
  EXPECT_EQ(package.unit, Unit::joule);
  EXPECT_EQ(package.quality, Quality::chip);
  EXPECT_EQ(package.step, 0x1p-32);
  EXPECT_EQ(package.range, std::nullopt) << "the kernel widens it to 64 bits";
  EXPECT_EQ(found.meters[1]->info().domain, "dram");
}

TEST(PerfEvent, KnowsWhatEachEventCovers) {
  FakeHost host;
  add_pmu(host);
  for (const auto* name : {"energy-cores", "energy-ram", "energy-gpu", "energy-psys", "energy-new"})
    add_event(host, name, "event=0x05");
  std::vector<Opened> opened;
  std::map<std::string, Counted> domains;
  for (const auto& meter : find_perf_event(search_with(host, opened)).meters)
    domains[meter->info().domain] = meter->info().counted;
  EXPECT_EQ(domains, (std::map<std::string, Counted>{{"package", Counted::yes},
                                                     {"cores", Counted::inside},
                                                     {"dram", Counted::yes},
                                                     {"igpu", Counted::inside},
                                                     {"platform", Counted::platform}}));
}

TEST(PerfEvent, OpensOneEventPerPackage) {
  FakeHost host;
  add_pmu(host, "0,36");
  std::vector<Opened> opened;
  const auto found = find_perf_event(search_with(host, opened));
  EXPECT_EQ(opened, (std::vector<Opened>{{23, 2, 0}, {23, 2, 36}}));
  ASSERT_EQ(found.meters.size(), 2u);
  EXPECT_EQ(found.meters[0]->info().name, "energy-pkg (cpu 0)");
  EXPECT_EQ(found.meters[1]->info().id, "perf/energy-pkg/cpu36");
}

TEST(PerfEvent, ReadsJoulesByTheScale) {
  FakeHost host;
  add_pmu(host);
  std::vector<Opened> opened;
  const auto found = find_perf_event(search_with(host, opened, {1ULL << 32, 7ULL << 31}));
  ASSERT_EQ(found.meters.size(), 1u);
  auto& meter = *found.meters[0];
  const Reading first = meter.read();
  const Reading second = meter.read();
  EXPECT_EQ(first.status, ReadStatus::ok);
  EXPECT_EQ(first.raw, 1ULL << 32);
  EXPECT_GT(first.at_ns, 0);
  const auto energy = energy_between(meter.info(), first, second);
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->value, 2.5);
}

TEST(PerfEvent, SaysThatItIsGoneWhenTheCpuGoesOffline) {
  FakeHost host;
  add_pmu(host);
  std::vector<Opened> opened;
  const auto found = find_perf_event(search_with(host, opened, {5}));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->read().status, ReadStatus::ok);
  const Reading gone = found.meters[0]->read();
  EXPECT_EQ(gone.status, ReadStatus::gone);
  EXPECT_GT(gone.at_ns, 0);
}

TEST(PerfEvent, SaysThatAReadFailed) {
  FakeHost host;
  add_pmu(host);
  MeterSearch search;
  search.root = host.root();
  search.open_perf_event = [](std::uint32_t, std::uint64_t, int) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);  // nothing to read: EAGAIN
  };
  const auto found = find_perf_event(search);
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->read().status, ReadStatus::failed);
}

TEST(PerfEvent, ClosesWhatItOpened) {
  FakeHost host;
  add_pmu(host);
  int descriptor = -1;
  MeterSearch search;
  search.root = host.root();
  search.open_perf_event = [&](std::uint32_t, std::uint64_t, int) {
    descriptor = eventfd(0, EFD_CLOEXEC);
    return descriptor;
  };
  {
    const auto found = find_perf_event(search);
    EXPECT_NE(fcntl(descriptor, F_GETFD), -1);
  }
  EXPECT_EQ(fcntl(descriptor, F_GETFD), -1);
}

TEST(PerfEvent, AdvisesWhereAPermissionIsMissing) {
  FakeHost host;
  add_pmu(host);
  for (const int reason : {EACCES, EPERM}) {
    const auto found = find_perf_event(refused(host, reason));
    EXPECT_TRUE(found.meters.empty());
    ASSERT_EQ(found.left_out.size(), 1u);
    EXPECT_EQ(found.left_out[0].source, "perf/energy-pkg/cpu0");
    EXPECT_NE(found.left_out[0].reason.find("energy-pkg on cpu 0"), std::string::npos);
    EXPECT_NE(found.left_out[0].advice.find("perf_event_paranoid"), std::string::npos);
  }
}

TEST(PerfEvent, GivesNoAdviceThatWouldNotHelp) {
  FakeHost host;
  add_pmu(host);
  const auto found = find_perf_event(refused(host, ENODEV));
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("No such device"), std::string::npos);
  EXPECT_EQ(found.left_out[0].advice, "");
}

TEST(PerfEvent, LeavesOutAnEventThatItDoesNotUnderstand) {
  const std::pair<const char*, const char*> cases[] = {{"energy-pkg", "config1=0x02"},
                                                       {"energy-pkg", "event"},
                                                       {"energy-pkg", "event=two"},
                                                       {"energy-pkg.scale", "a lot"},
                                                       {"energy-pkg.unit", "Microjoules"}};
  for (const auto& [file, text] : cases) {
    FakeHost host;
    add_pmu(host, "0-1");
    host.write(pmu / "events" / file, text);
    std::vector<Opened> opened;
    const auto found = find_perf_event(search_with(host, opened));
    EXPECT_TRUE(opened.empty()) << file << ": " << text;
    EXPECT_TRUE(found.meters.empty()) << file << ": " << text;
    ASSERT_EQ(found.left_out.size(), 2u) << file << ": " << text;
    EXPECT_NE(found.left_out[0].reason.find("energy-pkg"), std::string::npos);
  }
}

TEST(PerfEvent, WithoutAScaleThereIsNoMeter) {
  FakeHost host;
  add_pmu(host);
  host.remove(pmu / "events/energy-pkg.scale");
  std::vector<Opened> opened;
  const auto found = find_perf_event(search_with(host, opened));
  EXPECT_TRUE(found.meters.empty());
  EXPECT_EQ(found.left_out.size(), 1u);
}

TEST(PerfEvent, InAGuestTheHypervisorAnswers) {
  FakeHost host;
  add_pmu(host);
  host.write("proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor");
  std::vector<Opened> opened;
  const auto found = find_perf_event(search_with(host, opened));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().quality, Quality::virtual_machine);
}

TEST(PerfEvent, ACounterThatStandsStillInAGuestIsLeftOut) {
  FakeHost host;
  add_pmu(host);
  host.write("proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor");
  std::vector<Opened> opened;
  const auto dead = find_perf_event(search_with(host, opened, std::vector<std::uint64_t>(50, 7)));
  EXPECT_TRUE(dead.meters.empty());
  ASSERT_EQ(dead.left_out.size(), 1u);
  EXPECT_NE(dead.left_out[0].reason.find("does not change"), std::string::npos);
  std::vector<std::uint64_t> late(50, 7);
  std::fill(late.begin() + 5, late.end(), 8);
  EXPECT_EQ(find_perf_event(search_with(host, opened, late)).meters.size(), 1u);
}

}  // namespace
}  // namespace prengdl
