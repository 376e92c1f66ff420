// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "base/error.h"
#include "fake_host.h"
#include "meters/embedded.h"
#include "meters/gpu_facts.h"
#include "meters/nvml_sampling.h"
#include "meters/sources.h"
#include "standins/standin_control.h"

namespace prengdl {
namespace {

using Variables = std::map<std::string, std::string>;

class NvmlTest : public testing::Test {
 protected:
  NvmlTest() { standin.describe("name=NVIDIA A100-SXM4-80GB,cc=8.0,watts=250"); }

  MeterSearch search(const Variables& variables = {}) const {
    MeterSearch search;
    search.root = host.root();
    search.variables = [variables](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end()) return std::nullopt;
      return found->second;
    };
    search.nvml_library = NVML_STANDIN;
    return search;
  }

  /// The meter of energy or power of a GPU, or a channel; null when there is none.
  static Meter* meter(const FoundMeters& found, const std::string& domain, std::size_t number = 0) {
    for (const auto& each : found.meters)
      if (each->info().domain == domain && number-- == 0) return each.get();
    return nullptr;
  }

  static double value(Meter& meter) {
    const Reading reading = meter.read();
    EXPECT_EQ(reading.status, ReadStatus::ok);
    return static_cast<double>(reading.raw) * meter.info().step;
  }

  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  FakeHost host;
  StandinControl standin{NVML_STANDIN};
};

TEST_F(NvmlTest, IsSilentOnAMachineWithoutNvidia) {
  MeterSearch without = search();
  without.nvml_library = "libnvidia-ml-that-nobody-has.so.1";
  const auto found = find_nvml(without);
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
  EXPECT_TRUE(nvml_facts(without).empty());
  EXPECT_FALSE(nvml_other_processes(without));
}

TEST_F(NvmlTest, SaysThatTheLibraryIsMissingBesideADriver) {
  host.write("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: A100");
  MeterSearch without = search();
  without.nvml_library = "libnvidia-ml-that-nobody-has.so.1";
  const auto found = find_nvml(without);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_TRUE(contains(found.left_out[0].reason, without.nvml_library));
  EXPECT_TRUE(contains(found.left_out[0].advice, "install"));
}

TEST_F(NvmlTest, SaysWhyALibraryCannotBeUsed) {
  host.write("libnvidia-ml.so.1", "not a library");
  MeterSearch broken = search();
  broken.nvml_library = (host.root() / "libnvidia-ml.so.1").string();
  const auto found = find_nvml(broken);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_TRUE(contains(found.left_out[0].reason, broken.nvml_library));

  broken.nvml_library = ROCM_STANDIN;
  const auto other = find_nvml(broken);
  ASSERT_EQ(other.left_out.size(), 1u);
  EXPECT_TRUE(contains(other.left_out[0].reason, "not NVIDIA's"));
}

TEST_F(NvmlTest, GivesNvmlsReasonWhenItDoesNotStart) {
  standin.init_fails(9);
  const auto unloaded = find_nvml(search());
  ASSERT_EQ(unloaded.left_out.size(), 1u);
  EXPECT_TRUE(contains(unloaded.left_out[0].reason, "Driver Not Loaded"));
  EXPECT_TRUE(contains(unloaded.left_out[0].advice, "modprobe"));

  standin.init_fails(18);
  const auto mismatch = find_nvml(search());
  ASSERT_EQ(mismatch.left_out.size(), 1u);
  EXPECT_TRUE(contains(mismatch.left_out[0].reason, "version mismatch"));
  EXPECT_TRUE(contains(mismatch.left_out[0].advice, "reboot"));
  EXPECT_TRUE(mismatch.meters.empty());
  EXPECT_EQ(standin.users(), 0);
}

TEST_F(NvmlTest, PrefersTheEnergyCounter) {
  const auto found = find_nvml(search());
  EXPECT_TRUE(found.left_out.empty());
  Meter* const gpu = meter(found, "gpu");
  ASSERT_NE(gpu, nullptr);
  const MeterInfo& info = gpu->info();
  EXPECT_EQ(info.id, "nvml/GPU-00000001-0000-0000-0000-000000000000");
  EXPECT_EQ(info.name, "NVIDIA A100-SXM4-80GB (GPU 0)");
  EXPECT_EQ(info.kind, Kind::counter);
  EXPECT_EQ(info.unit, Unit::joule);
  EXPECT_EQ(info.quality, Quality::sensor);
  EXPECT_EQ(info.counted, Counted::yes);
  EXPECT_FALSE(info.range);
  EXPECT_TRUE(info.may_block);
  EXPECT_GE(info.period, Seconds{0.01});

  const double before = value(*gpu);
  standin.at(4);
  EXPECT_NEAR(value(*gpu) - before, 1000, 0.01);
}

TEST_F(NvmlTest, CountsTheJoulesOfTheRealClock) {
  standin.describe("watts=2000");
  standin.real_time();
  const auto found = find_nvml(search());
  Meter* const gpu = meter(found, "gpu");
  ASSERT_NE(gpu, nullptr);
  const std::int64_t earliest = monotonic_ns();
  const Reading reading = gpu->read();
  const std::int64_t latest = monotonic_ns();
  EXPECT_GE(reading.at_ns, earliest);
  EXPECT_LE(reading.at_ns, latest);
  const auto joules_at = [&](std::int64_t at) {
    return 1000 + 2000 * seconds_between(standin.start_ns(), at).count();
  };
  const double joules = static_cast<double>(reading.raw) * gpu->info().step;
  EXPECT_GE(joules, joules_at(earliest) - 0.002);
  EXPECT_LE(joules, joules_at(latest) + 0.002);
}

TEST_F(NvmlTest, FallsBackToInstantPower) {
  standin.describe("cc=8.0,watts=90,energy=no");
  const auto found = find_nvml(search());
  Meter* const gpu = meter(found, "gpu");
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->info().kind, Kind::gauge);
  EXPECT_EQ(gpu->info().unit, Unit::watt);
  EXPECT_TRUE(contains(gpu->info().source, "instant"));
  EXPECT_EQ(gpu->info().window, Seconds{0.025});
  EXPECT_TRUE(contains(gpu->info().note, "no energy counter"));
  EXPECT_TRUE(contains(gpu->info().note, "Ampere GA100 GPUs should"));
  EXPECT_TRUE(contains(gpu->info().note, "25 %"));
  EXPECT_NEAR(value(*gpu), 90, 1e-9);
  EXPECT_EQ(meter(found, "gpu_power"), nullptr) << "the meter itself shows it";
}

TEST_F(NvmlTest, DescribesAveragedPowerByItsArchitecture) {
  for (const std::string instant : {"no", "old"}) {
    standin.describe("cc=8.6,watts=90,energy=no,instant=" + instant);
    const auto found = find_nvml(search());
    Meter* const gpu = meter(found, "gpu");
    ASSERT_NE(gpu, nullptr);
    EXPECT_TRUE(contains(gpu->info().source, "power usage"));
    EXPECT_EQ(gpu->info().window, Seconds{1});
    EXPECT_EQ(gpu->info().update, Seconds{0.1});
    EXPECT_EQ(gpu->info().lag, Seconds{0.05});
    EXPECT_EQ(gpu->info().period, Seconds{0.05});
    EXPECT_NEAR(value(*gpu), 90, 1e-9);
  }
}

TEST_F(NvmlTest, ShowsAStepLateAndAveragedAsTheGpuDoes) {
  standin.describe("energy=no,instant=no,watts=100,step_watts=300,step_at=2,window=0.5,lag=0.25");
  const auto found = find_nvml(search());
  Meter* const gpu = meter(found, "gpu");
  ASSERT_NE(gpu, nullptr);
  const auto watts_at = [&](double seconds) {
    standin.at(seconds);
    return value(*gpu);
  };
  EXPECT_NEAR(watts_at(2.2), 100, 0.01);
  EXPECT_NEAR(watts_at(2.5), 200, 0.01);
  EXPECT_NEAR(watts_at(2.75), 300, 0.01);
}

TEST_F(NvmlTest, DoesNotTrustACounterThatNeverMoved) {
  standin.describe("watts=90,energy=zero");
  const auto found = find_nvml(search());
  Meter* const gpu = meter(found, "gpu");
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->info().unit, Unit::watt);
  EXPECT_TRUE(contains(gpu->info().note, "stays at 0"));
}

TEST_F(NvmlTest, LeavesOutAGpuThatTellsNothing) {
  standin.describe("name=NVIDIA A100;name=GeForce MX150,energy=no,instant=no,power=no,channels=no");
  const auto found = find_nvml(search());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_EQ(found.left_out[0].source, "nvml/GPU-00000002-0000-0000-0000-000000000001");
  EXPECT_TRUE(contains(found.left_out[0].reason, "GeForce MX150 (GPU 1)"));
  EXPECT_TRUE(contains(found.left_out[0].reason, "Not Supported"));
  EXPECT_NE(found.left_out[0].advice, "");
  for (const auto& each : found.meters) EXPECT_TRUE(contains(each->info().name, "A100"));
}

TEST_F(NvmlTest, NeverTakesZeroWattsForAReading) {
  standin.describe("watts=0,energy=no");
  const auto found = find_nvml(search());
  EXPECT_EQ(meter(found, "gpu"), nullptr);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_TRUE(contains(found.left_out[0].reason, "0 W"));
}

TEST_F(NvmlTest, LeavesOutAGpuThatIsLostOrCannotBeOpened) {
  standin.describe("name=A,error=15;name=B,open_error=4;name=C");
  const auto found = find_nvml(search());
  ASSERT_NE(meter(found, "gpu"), nullptr);
  EXPECT_EQ(meter(found, "gpu")->info().name, "C (GPU 2)");
  const auto left_out = [&](const std::string& reason) {
    return std::any_of(found.left_out.begin(), found.left_out.end(),
                       [&](const LeftOut& each) { return contains(each.reason, reason); });
  };
  EXPECT_TRUE(left_out("A (GPU 0) reports neither energy nor power: GPU is lost"));
  EXPECT_TRUE(left_out("cannot open GPU 1: Insufficient Permissions"));
}

TEST_F(NvmlTest, TellsInMidRunWhatWentWrong) {
  standin.describe("name=A;name=B");
  const auto found = find_nvml(search());
  Meter* const first = meter(found, "gpu");
  Meter* const second = meter(found, "gpu", 1);
  Meter* const channel = meter(found, "gpu_temperature");
  ASSERT_TRUE(first && second && channel);
  const std::map<int, ReadStatus> expected{{15, ReadStatus::gone},
                                           {28, ReadStatus::gone},
                                           {4, ReadStatus::denied},
                                           {3, ReadStatus::failed},
                                           {999, ReadStatus::failed}};
  for (const auto& [code, status] : expected) {
    standin.fail(0, code);
    EXPECT_EQ(first->read().status, status) << code;
    EXPECT_EQ(channel->read().status, status) << code;
    EXPECT_EQ(second->read().status, ReadStatus::ok);
  }
  standin.fail(0, 0);
  EXPECT_EQ(first->read().status, ReadStatus::ok);
}

TEST_F(NvmlTest, HasChannelsInSiUnits) {
  const auto found = find_nvml(search());
  const std::map<std::string, std::pair<Unit, double>> expected{
      {"gpu_utilisation", {Unit::share, 0.87}},
      {"gpu_memory_utilisation", {Unit::share, 0.42}},
      {"gpu_memory_used", {Unit::byte, 10.0 * (1ULL << 30)}},
      {"gpu_temperature", {Unit::celsius, 61}},
      {"gpu_sm_clock", {Unit::hertz, 1.41e9}},
      {"gpu_memory_clock", {Unit::hertz, 1.593e9}},
      {"gpu_throttle_reasons", {Unit::bits, 0x24}},
      {"gpu_power_limit", {Unit::watt, 400}},
      {"gpu_power", {Unit::watt, 250}}};
  EXPECT_EQ(found.meters.size(), expected.size() + 1);
  for (const auto& [domain, unit_and_value] : expected) {
    Meter* const channel = meter(found, domain);
    ASSERT_NE(channel, nullptr) << domain;
    EXPECT_EQ(channel->info().unit, unit_and_value.first) << domain;
    EXPECT_EQ(channel->info().counted, Counted::channel) << domain;
    EXPECT_EQ(channel->info().kind, Kind::gauge) << domain;
    EXPECT_EQ(channel->info().period, Seconds{0.1}) << domain;
    EXPECT_TRUE(channel->info().may_block) << domain;
    EXPECT_TRUE(channel->info().id.ends_with("/" + domain));
    EXPECT_DOUBLE_EQ(value(*channel), unit_and_value.second) << domain;
  }
}

TEST_F(NvmlTest, CountsOnlyTheGpusThatWereGiven) {
  standin.describe("name=A100;name=A100;name=A100,uuid=GPU-8932f937-1111");
  const auto found = find_nvml(search({{"CUDA_VISIBLE_DEVICES", "GPU-8932f937,1"}}));
  ASSERT_NE(meter(found, "gpu", 1), nullptr);
  EXPECT_EQ(meter(found, "gpu", 2), nullptr);
  EXPECT_EQ(meter(found, "gpu")->info().name, "A100 (GPU 1)");
  EXPECT_EQ(meter(found, "gpu", 1)->info().id, "nvml/GPU-8932f937-1111");
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_EQ(found.left_out[0].reason,
            "A100 (GPU 0) is not given to this process (CUDA_VISIBLE_DEVICES=GPU-8932f937,1)");
}

TEST_F(NvmlTest, NotesWhatIsUncertainAboutTheSelection) {
  standin.describe("name=A100;name=T4,mig=MIG-5c89852c-1111");
  const auto mixed = find_nvml(search({{"CUDA_VISIBLE_DEVICES", "0"}}));
  ASSERT_NE(meter(mixed, "gpu"), nullptr);
  EXPECT_TRUE(contains(meter(mixed, "gpu")->info().note, "CUDA_DEVICE_ORDER"));

  const auto slice = find_nvml(search({{"CUDA_VISIBLE_DEVICES", "MIG-5c89852c-1111"}}));
  ASSERT_NE(meter(slice, "gpu"), nullptr);
  EXPECT_EQ(meter(slice, "gpu")->info().name, "T4 (GPU 1)");
  EXPECT_TRUE(contains(meter(slice, "gpu")->info().note, "whole GPU"));
}

TEST_F(NvmlTest, KnowsTheFactsOfEachGpu) {
  standin.describe("name=NVIDIA A100-SXM4-80GB,cc=8.0;name=T4,cc=7.5,channels=no");
  const auto facts = nvml_facts(search({{"CUDA_VISIBLE_DEVICES", "1"}}));
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].index, 0u);
  EXPECT_EQ(facts[0].name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(facts[0].uuid, "GPU-00000001-0000-0000-0000-000000000000");
  EXPECT_EQ(facts[0].driver, "535.104.05");
  EXPECT_EQ(facts[0].compute_capability, "8.0");
  EXPECT_EQ(facts[0].memory_bytes, 80ULL << 30);
  EXPECT_EQ(facts[0].power_limit, Watts{400});
  EXPECT_EQ(facts[0].is_persistent, true);
  EXPECT_EQ(facts[0].is_exclusive, false);
  EXPECT_FALSE(facts[0].allocated);
  EXPECT_TRUE(facts[1].allocated);
  EXPECT_FALSE(facts[1].memory_bytes) << "not told is not 0";
  EXPECT_FALSE(facts[1].power_limit);
  EXPECT_FALSE(facts[1].is_persistent);
}

TEST_F(NvmlTest, ListsWhoComputesOnOurGpus) {
  standin.describe("pids=30+10;pids=10+20;pids=99");
  const auto pids = nvml_other_processes(search({{"CUDA_VISIBLE_DEVICES", "0,1"}}));
  EXPECT_EQ(pids, (std::vector<unsigned>{10, 20, 30}));

  std::string many = "pids=1";
  for (int pid = 2; pid <= 200; ++pid) many += "+" + std::to_string(pid);
  standin.describe(many);
  EXPECT_EQ(nvml_other_processes(search()).value_or(std::vector<unsigned>{}).size(), 200u);

  standin.describe("channels=no");
  EXPECT_FALSE(nvml_other_processes(search())) << "not told is not nobody";
}

TEST_F(NvmlTest, ShutsTheLibraryDownWithTheLastMeter) {
  auto found = find_nvml(search());
  EXPECT_EQ(standin.users(), 1);
  while (found.meters.size() > 1) found.meters.pop_back();
  EXPECT_EQ(standin.users(), 1);
  EXPECT_EQ(found.meters[0]->read().status, ReadStatus::ok);
  found.meters.clear();
  EXPECT_EQ(standin.users(), 0);
  nvml_facts(search());
  nvml_other_processes(search());
  EXPECT_EQ(standin.users(), 0);
}

TEST(NvmlLibrary, IsUnloadedWithTheLastMeter) {
  MeterSearch search;
  search.nvml_library = NVML_STANDIN;
  const auto loaded = [] {
    void* const handle = dlopen(NVML_STANDIN, RTLD_NOW | RTLD_NOLOAD);
    if (handle) dlclose(handle);
    return handle != nullptr;
  };
  auto found = find_nvml(search);
  ASSERT_FALSE(found.meters.empty());
  EXPECT_TRUE(loaded());
  found.meters.clear();
  EXPECT_FALSE(loaded());
}

TEST(NvmlSampling, KnowsThePublishedArchitectures) {
  const auto a100 = nvml_sampling(embedded::nvml_sampling(), 8, 0);
  EXPECT_EQ(a100.architecture, "Ampere GA100");
  EXPECT_EQ(a100.usage_window, Seconds{0.025});
  EXPECT_EQ(a100.sampled_share, 0.25);
  EXPECT_EQ(a100.energy_counter, true);
  const auto pascal = nvml_sampling(embedded::nvml_sampling(), 6, 1);
  EXPECT_EQ(pascal.energy_counter, false);
  EXPECT_EQ(pascal.power_update, Seconds{0.02});
  const auto hopper = nvml_sampling(embedded::nvml_sampling(), 9, 0);
  EXPECT_EQ(hopper.usage_window, Seconds{1});
  EXPECT_EQ(hopper.instant_window, Seconds{0.025});
}

TEST(NvmlSampling, IsCautiousWhereNothingIsPublished) {
  for (const auto& [major, minor] : {std::pair{0, 0}, std::pair{13, 0}, std::pair{8, 9}}) {
    const auto sampling = nvml_sampling(embedded::nvml_sampling(), major, minor);
    EXPECT_EQ(sampling.power_update, Seconds{0.1}) << major;
    EXPECT_EQ(sampling.energy_update, Seconds{0.1}) << major;
    EXPECT_EQ(sampling.usage_window, Seconds{1}) << major;
    EXPECT_GT(sampling.lag, Seconds{0}) << major;
    EXPECT_FALSE(sampling.sampled_share) << major;
  }
  EXPECT_EQ(nvml_sampling(embedded::nvml_sampling(), 13, 0).architecture, "other");
  EXPECT_FALSE(nvml_sampling(embedded::nvml_sampling(), 13, 0).energy_counter);
  EXPECT_EQ(nvml_sampling(embedded::nvml_sampling(), 12, 0).architecture, "Blackwell");
}

TEST(NvmlSampling, RefusesABrokenTable) {
  EXPECT_THROW(nvml_sampling("", 8, 0), Error);
  EXPECT_THROW(nvml_sampling("Ampere,8.0,8.0,yes\n", 8, 0), Error);
  EXPECT_THROW(nvml_sampling("Ampere,8.0,8.0,yes,,,,,,,\n", 8, 0), Error) << "no source";
  EXPECT_THROW(nvml_sampling("Ampere,8.0,8.0,yes,soon,,,,,,somebody\n", 8, 0), Error);
  EXPECT_NO_THROW(nvml_sampling("Ampere,8.0,8.0,yes,1,,,,,,somebody\n", 8, 0));
}

}  // namespace
}  // namespace prengdl
