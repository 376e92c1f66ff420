// SPDX-License-Identifier: Apache-2.0
#include "conclude/sensor_accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "model/accuracy.h"
#include "stats/log_ratio.h"

namespace prengdl {
namespace {

using Runs = std::vector<const StoredRun*>;

MeterInfo meter(const std::string& id, const std::string& domain, double quantum = 0.001) {
  MeterInfo info;
  info.id = id;
  info.domain = domain;
  info.quantum = quantum;
  info.update = Seconds{0.1};
  return info;
}

/// A run of ten seconds whose energy is the sum of these domains.
StoredRun run_of(std::vector<MeterInfo> meters, const std::map<std::string, double>& joules,
                 const std::string& machine = "m", std::size_t block = 0) {
  StoredRun run;
  run.machine = machine;
  run.block = block;
  run.run.exit_code = 0;
  run.run.wall = run.run.window = Seconds{10};
  double sum = 0;
  for (const auto& [domain, value] : joules) {
    run.run.energy.domains[domain] = {Joules{value}, Joules{0}, Quality::sensor};
    run.run.energy.covers.push_back(domain);
    sum += value;
  }
  run.run.energy.metered = Energy{Joules{sum}, Joules{0}, Quality::sensor};
  run.meters = std::move(meters);
  return run;
}

StoredRun on_card(const std::string& uuid, double joules, const std::string& machine = "m") {
  return run_of({meter("nvml/GPU-" + uuid, "gpu")}, {{"gpu", joules}}, machine);
}

/// An instrument whose owner stated its accuracy.
MeterInfo instrument(const std::string& domain, double gain) {
  auto info = meter("exec/" + domain, domain);
  info.model_low = 1 - gain;
  info.model_high = 1 + gain;
  return info;
}

Runs all(const std::vector<StoredRun>& runs) {
  Runs list;
  for (const auto& run : runs) list.push_back(&run);
  return list;
}

SensorAccuracy accuracy_between(const std::vector<StoredRun>& a, const std::vector<StoredRun>& b,
                                const std::string& measure = "metered",
                                std::span<const MachineRecord> machines = {}) {
  return sensor_accuracy(all(a), all(b), measure, Window{}, machines);
}

const double card = standard_uncertainty(0.05);

TEST(SensorAccuracy, OfOneCardCancels) {
  const auto one = accuracy_between({on_card("1", 100), on_card("1", 110)}, {on_card("1", 50)});
  ASSERT_TRUE(one.standard_error);
  EXPECT_NEAR(*one.standard_error, 0, 1e-12);
  EXPECT_FALSE(one.needed);
  EXPECT_EQ(one.reason, "");
}

TEST(SensorAccuracy, OfTwoCardsDoesNotCancel) {
  const auto two = accuracy_between({on_card("1", 100)}, {on_card("2", 100)});
  ASSERT_TRUE(two.standard_error);
  EXPECT_NEAR(*two.standard_error, std::sqrt(2.0) * card, 1e-12);
  EXPECT_TRUE(two.needed);
}

TEST(SensorAccuracy, OfTwoCardsCancelsIfBothLevelsUsedBothAlike) {
  const auto both = accuracy_between({on_card("1", 100), on_card("2", 120)},
                                     {on_card("2", 90), on_card("1", 80)});
  ASSERT_TRUE(both.standard_error);
  EXPECT_NEAR(*both.standard_error, 0, 1e-12);
  EXPECT_FALSE(both.needed);
}

TEST(SensorAccuracy, FollowsACardThroughMachines) {
  EXPECT_FALSE(accuracy_between({on_card("1", 100, "x")}, {on_card("1", 90, "y")}).needed);
}

TEST(SensorAccuracy, PairsOnSeveralMachinesCancelWithinEach) {
  std::vector<StoredRun> a;
  std::vector<StoredRun> b;
  for (const char* machine : {"x", "y", "z"}) {
    a.push_back(run_of({meter("powercap/intel-rapl:0", "package")}, {{"package", 10}}, machine));
    b.push_back(run_of({meter("powercap/intel-rapl:0", "package")}, {{"package", 12}}, machine));
  }
  const auto paired = accuracy_between(a, b);
  EXPECT_TRUE(paired.standard_error);
  EXPECT_FALSE(paired.needed);
  b.pop_back();
  EXPECT_TRUE(accuracy_between(a, b).needed);
}

TEST(SensorAccuracy, OfASumCancelsAsFarAsTheSharesAreEqual) {
  const std::vector<MeterInfo> meters{instrument("package", 0.03), meter("nvml/GPU-1", "gpu")};
  const auto equal = accuracy_between({run_of(meters, {{"package", 20}, {"gpu", 80}})},
                                      {run_of(meters, {{"package", 40}, {"gpu", 160}})});
  EXPECT_NEAR(*equal.standard_error, 0, 1e-12);
  EXPECT_FALSE(equal.needed);
  const auto other = accuracy_between({run_of(meters, {{"package", 20}, {"gpu", 80}})},
                                      {run_of(meters, {{"package", 50}, {"gpu", 50}})});
  ASSERT_TRUE(other.standard_error);
  EXPECT_NEAR(*other.standard_error, 0.3 * std::hypot(standard_uncertainty(0.03), card), 1e-12);
  EXPECT_TRUE(other.needed);
  // One domain of the sum is read by one sensor.
  EXPECT_FALSE(accuracy_between({run_of(meters, {{"package", 20}, {"gpu", 80}})},
                                {run_of(meters, {{"package", 50}, {"gpu", 50}})}, "gpu")
                   .needed);
}

TEST(SensorAccuracy, WithoutAClaimHasAReasonAndATippingPoint) {
  const std::vector<MeterInfo> meters{meter("powercap/intel-rapl:0", "package"),
                                      meter("nvml/GPU-1", "gpu")};
  const auto unknown = accuracy_between({run_of(meters, {{"package", 20}, {"gpu", 80}})},
                                        {run_of(meters, {{"package", 50}, {"gpu", 50}})});
  EXPECT_FALSE(unknown.standard_error);
  EXPECT_TRUE(unknown.needed);
  EXPECT_NEAR(unknown.unknown_weight, 0.3, 1e-12);
  EXPECT_NE(unknown.reason.find("RAPL of an unknown processor"), std::string::npos);
  const auto tipping = tipping_gain(unknown, {0.8, 0.9});
  ASSERT_TRUE(tipping);
  EXPECT_NEAR(*tipping, -std::log(0.9) / 0.3, 1e-12);
  EXPECT_FALSE(tipping_gain(unknown, {0.9, 1.1}));

  // A share that differs by half a percent is too little to ask for an accuracy.
  const auto alike = accuracy_between({run_of(meters, {{"package", 20}, {"gpu", 80}})},
                                      {run_of(meters, {{"package", 20.5}, {"gpu", 79.5}})});
  EXPECT_TRUE(alike.standard_error);
  EXPECT_FALSE(alike.needed);
}

TEST(SensorAccuracy, OfAModelInsideAProcessorIsNotSaidToCancelForCertain) {
  MachineRecord machine{"m", {}};
  machine.facts.cpu.vendor = "AuthenticAMD";
  const std::vector<MachineRecord> machines{machine};
  const std::vector<StoredRun> runs{
      run_of({meter("powercap/intel-rapl:0", "package")}, {{"package", 10}})};
  const auto one = accuracy_between(runs, runs, "metered", machines);
  EXPECT_FALSE(one.needed);
  EXPECT_NE(one.reason.find("depends on the workload"), std::string::npos);
}

TEST(SensorAccuracy, OfAnOffsetCountsWithSecondsOverJoules) {
  MachineRecord machine{"m", {}};
  machine.facts.cpu.vendor = "GenuineIntel";
  machine.facts.cpu.model = 63;
  const std::vector<MachineRecord> machines{machine};
  const std::vector<MeterInfo> memory{meter("powercap/intel-rapl:0:0", "dram")};
  const auto one = accuracy_between({run_of(memory, {{"dram", 40}})},
                                    {run_of(memory, {{"dram", 20}})}, "dram", machines);
  ASSERT_TRUE(one.standard_error);
  // 10 s of both: 4 W and 2 W.
  EXPECT_NEAR(*one.standard_error, (1 / 2.0 - 1 / 4.0) * standard_uncertainty(0.4), 1e-12);
  EXPECT_TRUE(one.needed);
}

TEST(SensorAccuracy, IsNoMatterForTimes) {
  const auto times = accuracy_between({on_card("1", 1)}, {on_card("2", 1)}, "seconds");
  EXPECT_EQ(times.standard_error, 0.0);
  EXPECT_FALSE(times.needed);
}

TEST(SensorAccuracy, OfRunsWithoutMetersIsNotKnown) {
  const auto none =
      accuracy_between({run_of({}, {{"gpu", 10}}, "x")}, {run_of({}, {{"gpu", 10}}, "y")});
  EXPECT_FALSE(none.standard_error);
  EXPECT_NE(none.reason.find("does not name it"), std::string::npos);
  EXPECT_FALSE(accuracy_between({on_card("1", 1)}, {}).standard_error);
}

TEST(SensorAccuracy, WidensTheIntervalInQuadrature) {
  const auto wide =
      with_sensor_accuracy(0.8, {0.8 * std::exp(-0.03), 0.8 * std::exp(0.03)}, 0.04 / 1.96);
  EXPECT_NEAR(std::log(wide[0] / 0.8), -0.05, 1e-12);
  EXPECT_NEAR(std::log(wide[1] / 0.8), 0.05, 1e-12);
}

/// 95 % of studies that compare two levels on two cards must cover the true ratio although each
/// card has its own gain. Without the sensors' part most would not.
TEST(SensorAccuracy, GivesIntervalsThatCoverTheTrueRatioOfTwoCards) {
  std::mt19937_64 random(20240611);
  std::uniform_real_distribution<double> gain(0.95, 1.05);
  constexpr int studies = 2000;
  for (const double spread : {0.003, 0.03}) {
    std::normal_distribution<double> noise(0, spread);
    int covered = 0;
    int covered_without = 0;
    for (int study = 0; study < studies; ++study) {
      std::vector<StoredRun> runs[2];
      std::vector<double> joules[2];
      for (int level = 0; level < 2; ++level) {
        const double own_gain = gain(random);
        for (int i = 0; i < 6; ++i) {
          const double truth = 100 * (level == 0 ? 0.9 : 1) * std::exp(noise(random));
          joules[level].push_back(own_gain * truth);
          runs[level].push_back(on_card(std::to_string(level), own_gain * truth));
        }
      }
      const auto ratio = unpaired_log_ratio(joules[0], joules[1]);
      const auto sensors = accuracy_between(runs[0], runs[1]);
      ASSERT_TRUE(ratio && sensors.standard_error);
      const auto wide = with_sensor_accuracy(ratio->ratio, ratio->ci95, *sensors.standard_error);
      covered += wide[0] <= 0.9 && 0.9 <= wide[1];
      covered_without += ratio->ci95[0] <= 0.9 && 0.9 <= ratio->ci95[1];
    }
    EXPECT_GE(covered, studies * 93 / 100) << spread;
    EXPECT_LE(covered, studies * 98 / 100) << spread;
    EXPECT_LT(covered_without, studies * 85 / 100) << spread;
  }
}

/// The same for sums of package and GPU on one machine, in shares that differ.
TEST(SensorAccuracy, GivesIntervalsThatCoverTheTrueRatioOfSums) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> card_gain(0.95, 1.05);
  std::uniform_real_distribution<double> package_gain(0.9, 1.1);
  std::normal_distribution<double> noise(0, 0.005);
  const std::vector<MeterInfo> meters{instrument("package", 0.1), meter("nvml/GPU-1", "gpu")};
  constexpr int studies = 2000;
  int covered = 0;
  for (int study = 0; study < studies; ++study) {
    const double gains[2] = {package_gain(random), card_gain(random)};
    std::vector<StoredRun> runs[2];
    std::vector<double> joules[2];
    for (int level = 0; level < 2; ++level)
      for (int i = 0; i < 6; ++i) {
        const double size = std::exp(noise(random));
        const double package = gains[0] * size * (level == 0 ? 20 : 60);
        const double gpu = gains[1] * size * (level == 0 ? 70 : 40);
        joules[level].push_back(package + gpu);
        runs[level].push_back(run_of(meters, {{"package", package}, {"gpu", gpu}}));
      }
    const auto ratio = unpaired_log_ratio(joules[0], joules[1]);
    const auto sensors = accuracy_between(runs[0], runs[1]);
    const auto wide = with_sensor_accuracy(ratio->ratio, ratio->ci95, *sensors.standard_error);
    covered += wide[0] <= 0.9 && 0.9 <= wide[1];
  }
  EXPECT_GE(covered, studies * 93 / 100);
  EXPECT_LE(covered, studies * 98 / 100);
}

TEST(EnergyStep, IsTheQuantumOfAllMetersBehindAMeasure) {
  const auto run =
      run_of({meter("powercap/intel-rapl:0", "package", 0.01),
              meter("powercap/intel-rapl:1", "package", 0.01), meter("nvml/GPU-1", "gpu", 0.001)},
             {{"package", 10}, {"gpu", 5}});
  EXPECT_NEAR(*energy_step(run, "metered"), 0.021, 1e-12);
  EXPECT_NEAR(*energy_step(run, "gpu"), 0.001, 1e-12);
  EXPECT_FALSE(energy_step(run, "seconds"));
  EXPECT_FALSE(energy_step(run, "dram"));
}

TEST(EnergyStep, OfAGaugeGrowsWithTheRun) {
  auto gauge = meter("nvml/GPU-1", "gpu", 0.5);
  gauge.kind = Kind::gauge;
  gauge.unit = Unit::watt;
  EXPECT_NEAR(*energy_step(run_of({gauge}, {{"gpu", 100}}), "gpu"), 5, 1e-12);
}

TEST(EnergyStep, OfACounterThatDoesNotStateItIsTheUncertaintyOfTheRun) {
  auto wall = meter("exec/machine", "machine", 0);
  wall.update = Seconds{0};
  auto run = run_of({wall}, {{"machine", 100}});
  EXPECT_FALSE(energy_step(run, "machine"));
  run.run.energy.domains["machine"].uncertainty = Joules{36};
  EXPECT_NEAR(*energy_step(run, "metered"), 36, 1e-12);
}

TEST(EnergyStep, CountsOneOfSeveralMetersOfTheWholeMachine) {
  auto battery = meter("battery/BAT0", "machine", 36);
  auto wall = meter("exec/machine", "machine", 1);
  battery.counted = wall.counted = Counted::alone;
  battery.quality = Quality::sensor;
  wall.quality = Quality::wall;
  EXPECT_NEAR(*energy_step(run_of({battery, wall}, {{"machine", 100}}), "machine"), 1, 1e-12);
}

}  // namespace
}  // namespace prengdl
