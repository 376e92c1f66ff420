// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "fake_host.h"
#include "meters/sources.h"
#include "model/totals.h"

namespace prengdl {
namespace {

/// Below the host only: no GPU library, an empty environment, perf events that open.
MeterSearch below(const FakeHost& host) {
  MeterSearch search;
  search.root = host.root();
  search.variables = [](const std::string&) { return std::nullopt; };
  search.nvml_library = (host.root() / "none/libnvidia-ml.so.1").string();
  search.rocm_library = (host.root() / "none/librocm_smi64.so").string();
  search.open_perf_event = [](std::uint32_t, std::uint64_t, int) {
    return eventfd(1, EFD_CLOEXEC);
  };
  return search;
}

void add_processor(FakeHost& host) {
  host.write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n");
  host.write("proc/stat", "cpu  100 0 100 1000 0 0 0 0 0 0");
  host.write("proc/meminfo", "MemTotal: 16000000 kB");
  host.write("sys/devices/system/cpu/online", "0-3");
}

void add_powercap(FakeHost& host) {
  const std::filesystem::path zone = "sys/class/powercap/intel-rapl:0";
  host.write(zone / "name", "package-0");
  host.write(zone / "max_energy_range_uj", "262143328850");
  host.write(zone / "energy_uj", "1000");
}

void add_perf(FakeHost& host) {
  const std::filesystem::path pmu = "sys/bus/event_source/devices/power";
  host.write(pmu / "type", "23");
  host.write(pmu / "cpumask", "0");
  host.write(pmu / "events/energy-pkg", "event=0x02");
  host.write(pmu / "events/energy-pkg.scale", "2.3283064365386962890625e-10");
  host.write(pmu / "events/energy-pkg.unit", "Joules");
}

/// The ids of what gives energy.
std::set<std::string> energy_ids(const FoundMeters& found) {
  std::set<std::string> ids;
  for (const auto& meter : found.meters)
    if (is_energy(meter->info()) && meter->info().counted != Counted::channel)
      ids.insert(meter->info().id);
  return ids;
}

using Ids = std::set<std::string>;

TEST(AllMeters, PowercapGoesBeforePerf) {
  FakeHost host;
  add_processor(host);
  add_powercap(host);
  add_perf(host);
  auto search = below(host);
  bool asked = false;
  search.open_perf_event = [&](std::uint32_t, std::uint64_t, int) {
    asked = true;
    return -1;
  };
  EXPECT_EQ(energy_ids(find_all(search)), Ids{"powercap/intel-rapl:0"});
  EXPECT_FALSE(asked) << "the same joules by another road";
}

TEST(AllMeters, PerfIsTheOtherRoadWherePowercapCannotBeRead) {
  FakeHost host;
  add_processor(host);
  add_powercap(host);
  add_perf(host);
  host.remove("sys/class/powercap/intel-rapl:0/energy_uj");
  const auto found = find_all(below(host));
  EXPECT_EQ(energy_ids(found), Ids{"perf/energy-pkg/cpu0"});
  EXPECT_TRUE(std::any_of(found.left_out.begin(), found.left_out.end(), [](const LeftOut& one) {
    return one.source == "powercap/intel-rapl:0";
  })) << "it is still told what was not readable";
}

TEST(AllMeters, WithoutAnyMeterThereIsTheEstimate) {
  FakeHost host;
  add_processor(host);
  const auto found = find_all(below(host));
  EXPECT_EQ(energy_ids(found), Ids{"estimate"});
}

TEST(AllMeters, TheEstimateStandsInWhereEverythingIsRefused) {
  FakeHost host;
  add_processor(host);
  add_powercap(host);
  add_perf(host);
  host.remove("sys/class/powercap/intel-rapl:0/energy_uj");
  auto search = below(host);
  search.open_perf_event = [](std::uint32_t, std::uint64_t, int) {
    errno = EACCES;
    return -1;
  };
  const auto found = find_all(search);
  EXPECT_EQ(energy_ids(found), Ids{"estimate"});
  Ids left_out;
  for (const auto& one : found.left_out) left_out.insert(one.source);
  EXPECT_TRUE(left_out.contains("powercap/intel-rapl:0"));
  EXPECT_TRUE(left_out.contains("perf/energy-pkg/cpu0"));
}

TEST(AllMeters, ThereIsNoEstimateBesideAMeterThatTheUserGave) {
  FakeHost host;
  add_processor(host);
  auto search = below(host);
  search.exec = {"sh -c 'echo 60 W; exec sleep 100'"};
  EXPECT_EQ(energy_ids(find_all(search)), Ids{"exec/machine"});
}

TEST(AllMeters, ModelledEnergyIsNeverAddedToMeasured) {
  FakeHost host;
  add_processor(host);
  add_powercap(host);
  const auto found = find_all(below(host));
  std::vector<const MeterInfo*> meters;
  for (const auto& meter : found.meters) {
    meters.push_back(&meter->info());
    EXPECT_NE(meter->info().quality, Quality::model) << meter->info().id;
  }
  EXPECT_EQ(metered_domains(meters), std::vector<std::string>{"package"});
}

TEST(AllMeters, AreToldApartByTheirIds) {
  FakeHost host;
  add_processor(host);
  add_powercap(host);
  const auto found = find_all(below(host));
  Ids ids;
  for (const auto& meter : found.meters)
    EXPECT_TRUE(ids.insert(meter->info().id).second) << meter->info().id << " twice";
}

TEST(AllMeters, NothingAtAllIsNoFailure) {
  FakeHost host;
  const auto found = find_all(below(host));
  EXPECT_TRUE(energy_ids(found).empty());
  EXPECT_TRUE(std::any_of(found.left_out.begin(), found.left_out.end(), [](const LeftOut& one) {
    return one.source == "estimate";
  })) << "without /proc/stat there is no estimate, and it is told why";
}

TEST(AllMeters, TheEnvironmentIsThatOfTheProcess) {
  const auto environment = process_variables();
  ASSERT_EQ(setenv("PRENGDL_TEST_VARIABLE", "0,1", 1), 0);
  EXPECT_EQ(environment("PRENGDL_TEST_VARIABLE"), "0,1");
  ASSERT_EQ(setenv("PRENGDL_TEST_VARIABLE", "", 1), 0);
  EXPECT_EQ(environment("PRENGDL_TEST_VARIABLE"), "") << "empty is not missing";
  ASSERT_EQ(unsetenv("PRENGDL_TEST_VARIABLE"), 0);
  EXPECT_EQ(environment("PRENGDL_TEST_VARIABLE"), std::nullopt);
}

}  // namespace
}  // namespace prengdl
