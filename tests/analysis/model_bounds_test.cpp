// SPDX-License-Identifier: Apache-2.0
#include "analysis/model_bounds.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/energy_bounds.h"
#include "base/error.h"
#include "meters/embedded.h"
#include "meters/estimate.h"
#include "print/costs.h"
#include "stats/mean_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// a from 10 to 40 W, b from 1 to 4 W and the same for both, no memory.
AssumedModels models() {
  AssumedModels models;
  models.mix = 1;
  models.standing = {20, 10, 40};
  models.per_busy_cpu = {2, 1, 4};
  models.cpus = 4;
  return models;
}

/// `n` runs whose means are these, a little apart in proportion.
Usage usage(double seconds, double cpu_seconds, std::size_t n = 5, double scatter = 0.001) {
  Usage made;
  for (std::size_t i = 0; i < n; ++i) {
    const double factor =
        1 + scatter * (static_cast<double>(i) - static_cast<double>(n - 1) / 2) * (i % 2 ? 1 : 1.1);
    made.seconds.push_back(seconds * factor);
    made.cpu_seconds.push_back(cpu_seconds * factor);
  }
  const double off = mean(made.seconds) / seconds;
  for (auto* list : {&made.seconds, &made.cpu_seconds})
    for (double& value : *list) value /= off;
  return made;
}

TEST(EnergyBounds, AreReachedAtCornersOfTheCoefficients) {
  // a 10, b 4: 120 J over 144 J; a 40, b 1: 405 J over 336 J.
  const auto bounds = energy_bounds(usage(10, 5), usage(8, 16), models(), false);
  EXPECT_NEAR(bounds.ratio[0], 120.0 / 144, 1e-12);
  EXPECT_NEAR(bounds.ratio[1], 405.0 / 336, 1e-12);
  EXPECT_EQ(bounds.extremes[0], (std::array<double, 4>{10, 4, 4, 0}));
  EXPECT_EQ(bounds.extremes[1], (std::array<double, 4>{40, 1, 1, 0}));
  EXPECT_NEAR(bounds.middle, 210.0 / 192, 1e-12);
  EXPECT_NEAR(bounds.time_ratio, 1.25, 1e-12);
  EXPECT_NEAR(bounds.cpu_ratio.value(), 5.0 / 16, 1e-12);
  EXPECT_FALSE(bounds.memory_ratio);
}

TEST(EnergyBounds, NameTheCoefficientThatDecides) {
  // With b at 2 W the two cost the same at a = 11 W: 120 J each. By itself b would have to be 3.64
  // W at a = 20 W, and moves the difference less.
  const auto bounds = energy_bounds(usage(10, 5), usage(8, 16), models(), false);
  EXPECT_EQ(bounds.verdict, BoundsVerdict::needs_meter);
  EXPECT_EQ(bounds.decider, Decider::standing);
  EXPECT_NEAR(bounds.break_even.value(), 11, 1e-9);
  EXPECT_FALSE(bounds.less);

  // A standing power that is known leaves b to decide, at 40 / 11 W.
  AssumedModels known = models();
  known.standing = {20, 20, 20};
  const auto other = energy_bounds(usage(10, 5), usage(8, 16), known, false);
  EXPECT_EQ(other.decider, Decider::per_busy_cpu);
  EXPECT_NEAR(other.break_even.value(), 40.0 / 11, 1e-9);
}

TEST(EnergyBounds, CostLessUnderEveryModelWhenTimeAndCpuTimeAreLess) {
  const auto bounds = energy_bounds(usage(5, 5), usage(8, 16), models(), false);
  EXPECT_NEAR(bounds.ratio[0], 70.0 / 144, 1e-12);
  EXPECT_NEAR(bounds.ratio[1], 205.0 / 336, 1e-12);
  EXPECT_EQ(bounds.verdict, BoundsVerdict::less);
  EXPECT_EQ(bounds.less, 0u);
  EXPECT_FALSE(bounds.decider);
  const auto reversed = energy_bounds(usage(8, 16), usage(5, 5), models(), false);
  EXPECT_EQ(reversed.less, 1u);
  EXPECT_NEAR(reversed.ratio[0], 336.0 / 205, 1e-12);
}

TEST(EnergyBounds, AskForMoreRunsWhereOnlyTheScatterIsInTheWay) {
  const auto scattered = energy_bounds(usage(5, 5, 4, 0.6), usage(8, 16, 4, 0.6), models(), false);
  EXPECT_LT(scattered.ratio[1], 1);
  EXPECT_EQ(scattered.verdict, BoundsVerdict::needs_runs);
  EXPECT_FALSE(scattered.less);
  const auto single = energy_bounds(usage(5, 5, 1), usage(8, 16, 1), models(), false);
  EXPECT_FALSE(single.ci95);
  EXPECT_EQ(single.verdict, BoundsVerdict::needs_runs);
  // What both share, as the drift of a block, is no scatter of the pairs.
  const auto paired = energy_bounds(usage(5, 5, 4, 0.3), usage(8, 16, 4, 0.3), models(), true);
  EXPECT_EQ(paired.verdict, BoundsVerdict::less);
  EXPECT_THROW(energy_bounds({}, usage(1, 1), models(), true), Error);
}

TEST(EnergyBounds, WithoutCpuTimeEachMayHaveKeptNoneOrAllBusy) {
  Usage first = usage(10, 1);
  Usage second = usage(100, 1);
  first.cpu_seconds.clear();
  second.cpu_seconds.clear();
  // Four CPUs at 4 W on top of 10 W: 26 W at most against 10 W.
  const auto bounds = energy_bounds(first, second, models(), false);
  EXPECT_NEAR(bounds.ratio[0], 0.1 / 2.6, 1e-12);
  EXPECT_NEAR(bounds.ratio[1], 0.1 * 2.6, 1e-12);
  EXPECT_EQ(bounds.verdict, BoundsVerdict::less);
  const auto near = energy_bounds(first, first, models(), false);
  EXPECT_EQ(near.verdict, BoundsVerdict::needs_meter);
  EXPECT_EQ(near.decider, Decider::unrecorded_cpu_time);
  EXPECT_FALSE(near.break_even);
}

TEST(EnergyBounds, CountTheMemoryThatIsHeld) {
  AssumedModels with_memory = models();
  with_memory.per_gigabyte = {0, 0, 0.5};
  Usage first = usage(10, 10);
  Usage second = usage(10, 10);
  first.gigabyte_seconds.assign(5, 400);
  second.gigabyte_seconds.assign(5, 0);
  // At most 110 J and 200 J for memory over 110 J; at least the same.
  const auto bounds = energy_bounds(first, second, with_memory, false);
  EXPECT_NEAR(bounds.ratio[0], 1, 1e-12);
  EXPECT_NEAR(bounds.ratio[1], 310.0 / 110, 1e-12);
}

TEST(EnergyBounds, LetASecondOfCpuTimeCostMoreInOneThanInTheOther) {
  AssumedModels uneven = models();
  uneven.mix = 1.5;
  // Half of everything: 50 J and 5 s at 8/3 W over 100 J and 10 s at 4 W, and the other way round.
  const auto half = energy_bounds(usage(5, 5), usage(10, 10), uneven, false);
  EXPECT_NEAR(half.ratio[0], (50 + 40.0 / 3) / 140, 1e-12);
  EXPECT_NEAR(half.ratio[1], 70 / (100 + 80.0 / 3), 1e-12);
  EXPECT_EQ(half.less, 0u);
  // 5 % less of everything is not less for certain; with the same b for both it would be.
  const auto near = energy_bounds(usage(9.5, 9.5), usage(10, 10), uneven, false);
  EXPECT_EQ(near.verdict, BoundsVerdict::needs_meter);
  EXPECT_EQ(near.decider, Decider::mix);
  const auto even = energy_bounds(usage(9.5, 9.5), usage(10, 10), models(), false);
  EXPECT_EQ(even.less, 0u);
  EXPECT_NEAR(even.ratio[0], 0.95, 1e-12);
}

TEST(EnergyBounds, HoldTheRatioOfEveryAssumedModel) {
  rc::check("any coefficients inside the ranges", [] {
    const auto share = [] { return *rc::gen::inRange(0, 1001) / 1000.0; };
    const auto amount = [] { return *rc::gen::inRange(1, 1000) / 10.0; };
    AssumedModels box;
    box.standing = {1, amount(), 0};
    box.standing.high = box.standing.low + amount();
    box.per_busy_cpu = {1, share(), 0};
    box.per_busy_cpu.high = box.per_busy_cpu.low + amount();
    box.per_gigabyte = {0, 0, share()};
    Usage first{{amount()}, {amount()}, {amount()}};
    Usage second{{amount()}, {amount()}, {amount()}};
    const auto bounds = energy_bounds(first, second, box, false);
    const auto inside = [&](const Coefficient& range) {
      return range.low + share() * (range.high - range.low);
    };
    const double a = inside(box.standing);
    const double b = inside(box.per_busy_cpu);
    // The other one's, as far from it as the mix and the range allow, or nearer.
    const Coefficient near{0, std::max(box.per_busy_cpu.low, b / box.mix),
                           std::min(box.per_busy_cpu.high, b * box.mix)};
    const double other = inside(near);
    const double c = inside(box.per_gigabyte);
    const auto energy = [&](const Usage& one, double per_busy_cpu) {
      return a * one.seconds[0] + per_busy_cpu * one.cpu_seconds[0] + c * one.gigabyte_seconds[0];
    };
    const double ratio = energy(first, b) / energy(second, other);
    RC_ASSERT(ratio >= bounds.ratio[0] * (1 - 1e-12));
    RC_ASSERT(ratio <= bounds.ratio[1] * (1 + 1e-12));
  });
}

/// Programs of several languages with the energy of package and memory, the time and the CPU time
/// of some of their runs, rounded; where the memory's energy was steady it is 0.281 W times the
/// seconds. From the data of van Kempen, Berger, Kwon and Nguyen
/// (github.com/nicovank/Energy-Languages at a76145c, data/NUCN1/docker-default), whose machine
/// keeps up to 8 CPUs busy.
struct Measured {
  const char* name;
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  std::vector<double> joules;
  double gigabytes;
};

const std::vector<Measured>& measured_programs() {
  static const std::vector<Measured> programs{
      {"spectral-norm, C",
       {0.255, 0.271, 0.249, 0.260, 0.272},
       {2.0237, 2.1492, 1.9711, 2.0551, 2.1583},
       {8.992, 8.667, 9.399, 8.828, 8.610},
       0.0036},
      {"spectral-norm, Java",
       {0.591, 0.667, 0.610, 0.695, 0.599},
       {4.1716, 4.3770, 4.3048, 4.5740, 4.2316},
       {20.008, 19.455, 19.491, 19.363, 20.820},
       0.043},
      {"spectral-norm, JavaScript", {2.904, 2.876}, {2.9054, 2.8769}, {55.82, 56.07}, 0.049},
      {"n-body, C", {1.914, 1.942, 1.935}, {1.9143, 1.9426, 1.9350}, {38.43, 37.10, 37.28}, 0.0036},
      {"n-body, Go", {3.890, 3.878}, {3.8945, 3.8828}, {70.41, 73.23}, 0.0036},
      {"fannkuch-redux, C", {7.316}, {47.5956}, {222.67}, 0.0036}};
  return programs;
}

TEST(EnergyBounds, HoldTheMeasuredRatiosOfProgramsWhoseCpuTimeIsKnown) {
  Machine unknown;
  unknown.cpu.threads = 8;
  Machine client = unknown;
  client.cpu.vendor = "GenuineIntel";
  client.cpu.family = 6;
  client.cpu.model = 158;
  for (const auto& machine : {unknown, client}) {
    const auto models =
        assumed_models(choose_power_model(machine, embedded::power_models()).value());
    const auto& programs = measured_programs();
    std::size_t right = 0;
    std::size_t held_without_mix = 0;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      for (std::size_t j = i + 1; j < programs.size(); ++j) {
        std::array<Usage, 2> usage;
        for (std::size_t k = 0; k < 2; ++k) {
          const auto& one = programs[k == 0 ? i : j];
          usage[k] = {one.seconds, one.cpu_seconds, {}};
          for (const double seconds : one.seconds)
            usage[k].gigabyte_seconds.push_back(seconds * one.gigabytes);
        }
        const double truth = mean(programs[i].joules) / mean(programs[j].joules);
        const auto bounds = energy_bounds(usage[0], usage[1], models, false);
        const std::string names = models.row + ": " + programs[i].name + " / " + programs[j].name;
        EXPECT_GE(truth, bounds.ratio[0]) << names;
        EXPECT_LE(truth, bounds.ratio[1]) << names;
        if (bounds.less) {
          EXPECT_EQ(*bounds.less, truth < 1 ? 0u : 1u) << names;
        }
        right += bounds.less.has_value();
        // With one b for both, programs that use time and CPU time alike have hardly any interval.
        AssumedModels even = models;
        even.mix = 1;
        const auto narrow = energy_bounds(usage[0], usage[1], even, false);
        held_without_mix += narrow.ratio[0] <= truth && truth <= narrow.ratio[1];
      }
    }
    EXPECT_EQ(held_without_mix, 12u) << models.row;
    EXPECT_EQ(right, 5u) << models.row;
  }
}

TEST(MeanRatio, ItsEndsAreWhereStudentsTIsCritical) {
  const std::vector<double> a{10.2, 9.7, 11.1, 10.4, 9.9, 10.8};
  const std::vector<double> b{8.1, 7.6, 9.0, 8.3, 7.9, 8.2};
  const auto paired = paired_mean_ratio(a, b).value();
  EXPECT_NEAR(paired.ratio, mean(a) / mean(b), 1e-12);
  EXPECT_EQ(paired.freedom, 5);
  for (const double end : paired.interval) {
    std::vector<double> rest;
    for (std::size_t i = 0; i < a.size(); ++i) rest.push_back(a[i] - end * b[i]);
    EXPECT_NEAR(std::abs(mean(rest)) / (standard_deviation(rest) / std::sqrt(6.0)), 2.5705818356363,
                1e-9)
        << end;
  }
  const auto unpaired = unpaired_mean_ratio(a, b).value();
  const double t = student_quantile(0.975, unpaired.freedom);
  for (const double end : unpaired.interval) {
    const double variance =
        (std::pow(standard_deviation(a), 2) + std::pow(end * standard_deviation(b), 2)) / 6;
    EXPECT_NEAR(std::abs(mean(a) - end * mean(b)) / std::sqrt(variance), t, 1e-9) << end;
  }
  EXPECT_LT(unpaired.interval[0], paired.interval[0]);
  EXPECT_FALSE(paired_mean_ratio(std::vector{1.0}, std::vector{1.0}));
  EXPECT_FALSE(unpaired_mean_ratio(std::vector{1.0, 2.0}, std::vector{1.0, 100.0}));
}

TEST(MeanRatio, HoldsTheTrueRatioInNineteenOfTwentySamples) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> noise(0, 1);
  std::size_t held = 0;
  constexpr std::size_t samples = 4000;
  for (std::size_t k = 0; k < samples; ++k) {
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 6; ++i) {
      const double shared = noise(generator);
      a.push_back(12 + shared + 0.5 * noise(generator));
      b.push_back(10 + shared + 0.5 * noise(generator));
    }
    const auto ratio = paired_mean_ratio(a, b).value();
    held += ratio.interval[0] <= 1.2 && 1.2 <= ratio.interval[1];
  }
  EXPECT_NEAR(static_cast<double>(held) / samples, 0.95, 0.011);  // three standard errors
}

PowerModel power_model() {
  PowerModel model;
  model.row = "made up";
  model.source = "this test";
  model.cpus = 4;
  model.memory_gigabytes = 16;
  model.idle_per_cpu = {1, 0.5, 2};
  model.full_per_cpu = {4, 2, 8};
  model.memory_per_gigabyte = {0.4, 0.2, 0.8};
  return model;
}

TEST(AssumedModels, ComeFromTheRangesOfTheTable) {
  const auto models = assumed_models(power_model());
  EXPECT_DOUBLE_EQ(models.standing.value, 4 * 1 + 16 * 0.4);
  EXPECT_DOUBLE_EQ(models.standing.low, 4 * 0.5);
  EXPECT_DOUBLE_EQ(models.standing.high, 4 * 2 + 16 * 0.8);
  EXPECT_DOUBLE_EQ(models.per_busy_cpu.value, 3);
  EXPECT_DOUBLE_EQ(models.per_busy_cpu.low, 0) << "2 W busy and 2 W idle";
  EXPECT_DOUBLE_EQ(models.per_busy_cpu.high, 7.5);
  EXPECT_DOUBLE_EQ(models.per_gigabyte.low, 0);
  EXPECT_DOUBLE_EQ(models.per_gigabyte.high, 0.8);
}

TEST(AssumedModels, AreFoundByTheRecordedFactsOfAMachine) {
  Machine machine;
  machine.cpu.vendor = "AuthenticAMD";
  machine.cpu.family = 25;
  machine.cpu.model = 17;
  machine.cpu.threads = 8;
  machine.memory.total_bytes = 32'000'000'000;
  const auto zen = choose_power_model(machine, embedded::power_models()).value();
  EXPECT_EQ(zen.row, "EPYC 4th gen (Zen 4)");
  EXPECT_EQ(zen.cpus, 8);
  EXPECT_DOUBLE_EQ(zen.memory_gigabytes, 32);
  Machine arm;
  arm.cpu.vendor = "0x41";
  arm.cpu.model_name = "Arm part 0xd0c";
  EXPECT_EQ(choose_power_model(arm, embedded::power_models()).value().row, "Graviton 2");
  EXPECT_EQ(choose_power_model(Machine{}, embedded::power_models()).value().row, "unknown CPU");
}

Study study_of_two() {
  Study study;
  study.name = "mine";
  study.factors = {{"framework", {"one", "two"}}, {"model", {"small"}}};
  study.analysis.compare = "framework";
  return study;
}

StoredRun stored(const std::string& level, std::size_t block, double seconds, double cpu_seconds,
                 const std::string& machine = "m1") {
  StoredRun run;
  run.cell = {level, "small"};
  run.block = block;
  run.machine = machine;
  run.run.wall = Seconds{seconds};
  run.run.cpu.workload = Seconds{cpu_seconds};
  run.run.max_rss_bytes = 1'000'000'000;
  run.run.energy.metered = Energy{Joules{seconds}, Joules{1}, Quality::model};
  return run;
}

std::vector<StoredRun> runs_of_two(const std::string& machine = "m1") {
  std::vector<StoredRun> runs;
  for (std::size_t block = 0; block < 5; ++block) {
    const double drift = 1 + 0.1 * static_cast<double>(block);
    runs.push_back(stored("one", block, 5 * drift, 5 * drift, machine));
    runs.push_back(stored("two", block, 8 * drift, 16.1 * drift, machine));
  }
  return runs;
}

TEST(ModelBounds, CompareTheLevelsOfEachUnitOnEachMachine) {
  auto runs = runs_of_two();
  for (auto& run : runs_of_two("m2")) runs.push_back(run);
  for (auto& run : runs_of_two("m3")) runs.push_back(run);
  EXPECT_TRUE(lacks_a_meter(runs));
  const auto bounds =
      model_bounds(study_of_two(), runs, {{"m1", power_model()}, {"m2", power_model()}}, true);
  ASSERT_EQ(bounds.comparisons.size(), 2u);
  ASSERT_EQ(bounds.notes.size(), 1u) << "m3 has no model";
  EXPECT_NE(bounds.notes[0].find("m3"), std::string::npos);
  for (const auto& one : bounds.comparisons) {
    EXPECT_EQ(one.pair, (std::array<std::string, 2>{"one", "two"}));
    EXPECT_EQ(one.cell.at("model"), "small");
    EXPECT_EQ(one.n, (std::array<std::size_t, 2>{5, 5}));
    EXPECT_TRUE(one.knows_cpu_time);
    EXPECT_TRUE(one.knows_memory);
    // From b = 0: 5/8, to the most that CPU time can weigh: a 2 W, b 5 W against 7.5 W.
    EXPECT_NEAR(one.bounds.ratio[1], 5.0 / 8, 1e-9);
    EXPECT_NEAR(one.bounds.ratio[0], 35 / 136.75, 1e-9);
    EXPECT_EQ(one.bounds.less, 0u);
  }
  EXPECT_NE(bounds.comparisons[0].machine, bounds.comparisons[1].machine);
}

TEST(ModelBounds, TakeUsagePerTheUnitThatTheStudyNames) {
  auto runs = runs_of_two();
  for (auto& run : runs) run.run.work = {{"samples", run.cell[0] == "one" ? 10.0 : 20.0}};
  Study study = study_of_two();
  study.analysis.per = "samples";
  const auto bounds = model_bounds(study, runs, {{"m1", power_model()}}, true);
  ASSERT_EQ(bounds.comparisons.size(), 1u);
  EXPECT_EQ(bounds.comparisons[0].per, "samples");
  EXPECT_NEAR(bounds.comparisons[0].bounds.time_ratio, 2 * 5.0 / 8, 1e-9);
  EXPECT_EQ(bounds.comparisons[0].bounds.verdict, BoundsVerdict::needs_meter);
}

TEST(ModelBounds, SayWhatWasNotRecorded) {
  auto runs = runs_of_two();
  for (auto& run : runs) {
    run.run.cpu.workload = Seconds{0};
    run.run.max_rss_bytes = 0;
    run.run.energy.metered.reset();
  }
  EXPECT_TRUE(lacks_a_meter(runs));
  const auto bounds = model_bounds(study_of_two(), runs, {{"m1", power_model()}}, false);
  ASSERT_EQ(bounds.comparisons.size(), 1u);
  EXPECT_FALSE(bounds.comparisons[0].knows_cpu_time);
  EXPECT_FALSE(bounds.comparisons[0].knows_memory);
  EXPECT_EQ(bounds.comparisons[0].bounds.decider, Decider::unrecorded_cpu_time);
  const auto part = bounds_part(bounds, {"model"}, false);
  EXPECT_NE(part.text.find("needs a meter: CPU time, which was not recorded"), std::string::npos)
      << part.text;
  EXPECT_EQ(part.json["comparisons"][0]["verdict"], "needs a meter");
  EXPECT_FALSE(part.json["comparisons"][0].contains("p"));
  EXPECT_FALSE(part.json["comparisons"][0].contains("winner"));
}

TEST(ModelBounds, StateOnceWhatTheyAssume) {
  const auto bounds = model_bounds(study_of_two(), runs_of_two(), {{"m1", power_model()}}, true);
  ASSERT_TRUE(bounds.comparisons.at(0).bounds.less);
  const auto part = bounds_part(bounds, {"model"}, false);
  EXPECT_NE(part.text.find("one costs less under the assumed models"), std::string::npos)
      << part.text;
  const auto said = part.text.find("energy = a x seconds");
  EXPECT_NE(said, std::string::npos) << part.text;
  EXPECT_EQ(part.text.find("energy = a x seconds", said + 1), std::string::npos) << part.text;
  EXPECT_NE(part.text.find("docs/explanation/modelled-energy.md"), std::string::npos) << part.text;
  EXPECT_EQ(part.json["comparisons"][0]["verdict"], "less under the assumed models");
  EXPECT_EQ(part.json["assumption"], model_assumption());
}

TEST(ModelBounds, AreNotAskedForWhereThereIsAMeter) {
  auto runs = runs_of_two();
  runs[3].run.energy.metered->quality = Quality::chip;
  EXPECT_FALSE(lacks_a_meter(runs));
}

}  // namespace
}  // namespace prengdl
