// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>

#include "base/clock.h"
#include "fake_host.h"
#include "meters/gpu_facts.h"
#include "meters/rocm_api.h"
#include "meters/sources.h"
#include "standins/standin_control.h"

namespace prengdl {
namespace {

using Variables = std::map<std::string, std::string>;

class RocmTest : public testing::Test {
 protected:
  RocmTest() { standin.describe("name=AMD Instinct MI210,watts=140"); }

  MeterSearch search(const Variables& variables = {}) const {
    MeterSearch search;
    search.root = host.root();
    search.variables = [variables](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end()) return std::nullopt;
      return found->second;
    };
    search.rocm_library = ROCM_STANDIN;
    return search;
  }

  static Meter* meter(const FoundMeters& found, const std::string& domain, std::size_t number = 0) {
    for (const auto& each : found.meters)
      if (each->info().domain == domain && number-- == 0) return each.get();
    return nullptr;
  }

  static double value(Meter& meter) {
    const Reading reading = meter.read();
    EXPECT_EQ(reading.status, ReadStatus::ok);
    return static_cast<double>(static_cast<std::int64_t>(reading.raw)) * meter.info().step;
  }

  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  FakeHost host;
  StandinControl standin{ROCM_STANDIN};
};

TEST_F(RocmTest, IsSilentOnAMachineWithoutTheLibrary) {
  MeterSearch without = search();
  without.rocm_library = "librocm_smi64-that-nobody-has.so";
  const auto found = find_rocm(without);
  EXPECT_TRUE(found.meters.empty());
  EXPECT_TRUE(found.left_out.empty());
  EXPECT_TRUE(rocm_facts(without).empty());
}

TEST_F(RocmTest, SaysWhyTheLibraryCannotBeUsed) {
  standin.init_fails(8);
  const auto unloaded = find_rocm(search());
  ASSERT_EQ(unloaded.left_out.size(), 1u);
  EXPECT_TRUE(contains(unloaded.left_out[0].reason, "RSMI_STATUS_INIT_ERROR"));
  EXPECT_TRUE(contains(unloaded.left_out[0].advice, "amdgpu"));
  EXPECT_EQ(standin.users(), 0);

  MeterSearch wrong = search();
  wrong.rocm_library = NVML_STANDIN;
  const auto other = find_rocm(wrong);
  ASSERT_EQ(other.left_out.size(), 1u);
  EXPECT_TRUE(contains(other.left_out[0].reason, "not AMD's"));
}

TEST_F(RocmTest, PrefersTheEnergyCounterInItsOwnUnit) {
  const auto found = find_rocm(search());
  EXPECT_TRUE(found.left_out.empty());
  Meter* const gpu = meter(found, "gpu");
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->info().id, "rocm/GPU-deadbeef00000000");
  EXPECT_EQ(gpu->info().name, "AMD Instinct MI210 (GPU 0)");
  EXPECT_EQ(gpu->info().kind, Kind::counter);
  EXPECT_EQ(gpu->info().unit, Unit::joule);
  EXPECT_EQ(gpu->info().counted, Counted::yes);
  EXPECT_NEAR(gpu->info().step, 15.3e-6, 1e-11);
  const double before = value(*gpu);
  standin.at(5);
  EXPECT_NEAR(value(*gpu) - before, 700, 0.001);
}

TEST_F(RocmTest, DoesNotTrustADeadCounter) {
  for (const auto& [energy, reason] :
       std::map<std::string, std::string>{{"zero", "stays at 0"},
                                          {"stuck", "not updated any more"},
                                          {"no", "no energy counter"}}) {
    // A machine that has run for less than ten seconds has no old time stamps.
    if (energy == "stuck" && monotonic_ns() < 20'000'000'000) continue;
    standin.describe("watts=140,energy=" + energy);
    const auto found = find_rocm(search());
    Meter* const gpu = meter(found, "gpu");
    ASSERT_NE(gpu, nullptr) << energy;
    EXPECT_EQ(gpu->info().unit, Unit::watt) << energy;
    EXPECT_TRUE(contains(gpu->info().note, reason)) << gpu->info().note;
    EXPECT_NEAR(value(*gpu), 140, 1e-6);
  }
}

TEST_F(RocmTest, FallsBackToAveragePower) {
  standin.describe("watts=140,energy=no,instant=no");
  const auto found = find_rocm(search());
  Meter* const gpu = meter(found, "gpu");
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->info().kind, Kind::gauge);
  EXPECT_TRUE(contains(gpu->info().source, "average power"));
  EXPECT_TRUE(contains(gpu->info().note, "how long it averages"));
  EXPECT_NEAR(value(*gpu), 140, 1e-6);
}

TEST_F(RocmTest, LeavesOutADieThatShowsNothing) {
  standin.describe(
      "name=MI250X,watts=200;name=MI250X,watts=0,energy=no;name=V,energy=no,"
      "instant=no,power=no");
  const auto found = find_rocm(search());
  EXPECT_EQ(meter(found, "gpu", 1), nullptr);
  ASSERT_EQ(found.left_out.size(), 2u);
  EXPECT_TRUE(
      contains(found.left_out[0].reason, "MI250X (GPU 1) reports neither energy nor power"));
  EXPECT_TRUE(contains(found.left_out[0].reason, "0 W"));
  EXPECT_TRUE(contains(found.left_out[1].reason, "NOT_SUPPORTED"));
}

TEST_F(RocmTest, HasChannelsInSiUnitsFromBothLayoutsOfTheClocks) {
  const std::map<std::string, std::pair<Unit, double>> expected{
      {"gpu_utilisation", {Unit::share, 0.75}},
      {"gpu_memory_utilisation", {Unit::share, 0.3}},
      {"gpu_memory_used", {Unit::byte, 5.0 * (1ULL << 30)}},
      {"gpu_temperature", {Unit::celsius, -1.5}},
      {"gpu_sm_clock", {Unit::hertz, 1.7e9}},
      {"gpu_memory_clock", {Unit::hertz, 1.6e9}},
      {"gpu_power_limit", {Unit::watt, 300}},
      {"gpu_power", {Unit::watt, 140}}};
  for (const std::string records : {"new", "old"}) {
    standin.describe("watts=140,celsius=-1.5,records=" + records);
    const auto found = find_rocm(search());
    EXPECT_EQ(found.meters.size(), expected.size() + 1);
    for (const auto& [domain, unit_and_value] : expected) {
      Meter* const channel = meter(found, domain);
      ASSERT_NE(channel, nullptr) << domain;
      EXPECT_EQ(channel->info().unit, unit_and_value.first) << domain;
      EXPECT_EQ(channel->info().counted, Counted::channel) << domain;
      EXPECT_TRUE(channel->info().may_block) << domain;
      EXPECT_NEAR(value(*channel), unit_and_value.second, 1e-6) << domain << " " << records;
    }
  }
}

TEST_F(RocmTest, TellsInMidRunWhatWentWrong) {
  const auto found = find_rocm(search());
  Meter* const gpu = meter(found, "gpu");
  ASSERT_NE(gpu, nullptr);
  for (const auto& [code, status] : std::map<int, ReadStatus>{{10, ReadStatus::gone},
                                                              {4, ReadStatus::denied},
                                                              {2, ReadStatus::failed},
                                                              {-1, ReadStatus::failed}}) {
    standin.fail(0, code);
    EXPECT_EQ(gpu->read().status, status) << code;
  }
  standin.fail(0, 0);
  EXPECT_EQ(gpu->read().status, ReadStatus::ok);
}

TEST_F(RocmTest, CountsOnlyTheGpusThatWereGiven) {
  standin.describe("name=MI210;name=MI210");
  const auto found = find_rocm(search({{"ROCR_VISIBLE_DEVICES", "GPU-DEADBEEF00000001"}}));
  ASSERT_NE(meter(found, "gpu"), nullptr);
  EXPECT_EQ(meter(found, "gpu")->info().name, "MI210 (GPU 1)");
  EXPECT_EQ(meter(found, "gpu", 1), nullptr);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_TRUE(contains(found.left_out[0].reason, "not given to this process"));
}

TEST_F(RocmTest, KnowsTheFactsOfEachGpu) {
  standin.describe("name=MI210;name=RX 7900,uuid=none");
  const auto facts = rocm_facts(search({{"HIP_VISIBLE_DEVICES", "0"}}));
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].name, "MI210");
  EXPECT_EQ(facts[0].driver, "6.3.6");
  EXPECT_EQ(facts[0].memory_bytes, 64ULL << 30);
  EXPECT_EQ(facts[0].power_limit, Watts{300});
  EXPECT_TRUE(facts[0].allocated);
  EXPECT_EQ(facts[1].uuid, "0000:04:00.0") << "by its place where it has no name of its own";
  EXPECT_FALSE(facts[1].allocated);
}

TEST_F(RocmTest, ShutsTheLibraryDownWithTheLastMeter) {
  auto found = find_rocm(search());
  EXPECT_EQ(standin.users(), 1);
  found.meters.clear();
  EXPECT_EQ(standin.users(), 0);
  rocm_facts(search());
  EXPECT_EQ(standin.users(), 0);
}

TEST(RocmFrequencies, RefusesARecordWithoutACurrentFrequency) {
  alignas(8) std::array<std::byte, rocm_frequencies_size> record{};
  EXPECT_FALSE(current_frequency(record));
  const std::array<std::uint32_t, 3> nothing_current{0, 3, 0xFFFFFFFF};
  std::memcpy(record.data(), nothing_current.data(), sizeof nothing_current);
  EXPECT_FALSE(current_frequency(record));
  EXPECT_FALSE(current_frequency(std::span(record).first(64)));
}

TEST(RocmFrequencies, TellsTheLayoutsApartWithASingleFrequency) {
  alignas(8) std::array<std::byte, rocm_frequencies_size> record{};
  const std::array<std::uint32_t, 2> old_header{1, 0};
  const std::uint64_t hertz = 800'000'000;
  std::memcpy(record.data(), old_header.data(), sizeof old_header);
  std::memcpy(record.data() + 8, &hertz, sizeof hertz);
  EXPECT_EQ(current_frequency(record), hertz);

  record = {};
  const std::array<std::uint32_t, 3> new_header{1, 1, 0};
  std::memcpy(record.data(), new_header.data(), sizeof new_header);
  std::memcpy(record.data() + 16, &hertz, sizeof hertz);
  EXPECT_EQ(current_frequency(record), hertz);
}

}  // namespace
}  // namespace prengdl
