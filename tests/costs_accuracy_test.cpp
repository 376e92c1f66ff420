// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/accuracy.h"
#include "analysis/reach.h"
#include "costs_study.h"
#include "model/window.h"
#include "report/accuracy_report.h"

namespace prengdl {
namespace {

constexpr std::int64_t second = 1'000'000'000;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

StoredRun told_run(const std::string& framework, std::size_t block, double joules, double accuracy,
                   Quality quality = Quality::chip) {
  StoredRun run = costs_run({"train", "ncf", framework}, block, joules, 10, quality);
  run.run.metrics = {{"accuracy", 0.1, 2 * second, {}}, {"accuracy", accuracy, 3 * second, {}}};
  return run;
}

/// pytorch: 10, 20, 30 J at 0.8, 0.9, 0.7; tensorflow: 15, 25, 20 J at 0.8, 0.8, 0.95.
std::vector<StoredRun> told_runs(Quality quality = Quality::chip) {
  return {told_run("pytorch", 0, 10, 0.8, quality), told_run("tensorflow", 0, 15, 0.8, quality),
          told_run("pytorch", 1, 20, 0.9, quality), told_run("tensorflow", 1, 25, 0.8, quality),
          told_run("pytorch", 2, 30, 0.7, quality), told_run("tensorflow", 2, 20, 0.95, quality)};
}

Accuracy accuracy_of(const std::vector<StoredRun>& runs, const AccuracySettings& settings) {
  const Study study = costs_study();
  return energy_against_accuracy(study, runs_by_unit(study, runs, settings.paired), settings);
}

TEST(EnergyAgainstAccuracy, TakesTheLastValueTold) {
  prengdl::Run run;
  run.metrics = {{"accuracy", 0.9, 5, {}}, {"accuracy", 0.5, 3, {}}, {"loss", 2, 9, {}}};
  EXPECT_EQ(final_metric(run, "accuracy"), 0.9);  // by time, not by place
  EXPECT_EQ(final_metric(run, "loss"), 2);
  EXPECT_EQ(final_metric(run, "f1"), std::nullopt);
}

TEST(EnergyAgainstAccuracy, CountsHowOftenOneDominates) {
  AccuracySettings settings;
  const auto paired = accuracy_of(told_runs(), settings);
  ASSERT_EQ(paired.units.size(), 1u);
  const auto& pair = paired.units[0].pairs.at(0);
  EXPECT_EQ(pair.n, 3u);  // blocks 0 and 1 go to pytorch, 2 to tensorflow
  EXPECT_NEAR(pair.first, 2.0 / 3, 1e-15);
  EXPECT_NEAR(pair.second, 1.0 / 3, 1e-15);

  settings.paired = false;
  const auto each = accuracy_of(told_runs(), settings).units[0].pairs.at(0);
  EXPECT_EQ(each.n, 9u);
  // 10/.8 beats 15/.8 and 25/.8; 20/.9 beats 25/.8; 30/.7 loses to all three.
  EXPECT_NEAR(each.first, 3.0 / 9, 1e-15);
  EXPECT_NEAR(each.second, 3.0 / 9, 1e-15);
}

TEST(EnergyAgainstAccuracy, EqualEnergyDominatesNothing) {
  const std::vector<StoredRun> runs{told_run("pytorch", 0, 10, 0.9),
                                    told_run("tensorflow", 0, 10, 0.8)};
  const auto unit = accuracy_of(runs, {}).units[0];
  EXPECT_EQ(unit.pairs[0].first, 0);
  EXPECT_EQ(unit.pairs[0].second, 0);
  EXPECT_TRUE(unit.levels[0].on_front);
  EXPECT_FALSE(unit.levels[1].on_front);  // the same energy reaches more
}

TEST(EnergyAgainstAccuracy, MarksTheParetoFront) {
  const auto unit = accuracy_of(told_runs(), {}).units[0];
  ASSERT_EQ(unit.levels.size(), 2u);
  EXPECT_NEAR(unit.levels[0].cost, 20, 1e-12);
  EXPECT_NEAR(unit.levels[0].metric, 0.8, 1e-12);
  EXPECT_NEAR(unit.levels[1].cost, 20, 1e-12);
  EXPECT_NEAR(unit.levels[1].metric, 0.85, 1e-12);
  EXPECT_FALSE(unit.levels[0].on_front);
  EXPECT_TRUE(unit.levels[1].on_front);
  const auto text = accuracy_text(accuracy_of(told_runs(), {}), {});
  EXPECT_TRUE(contains(text, "on the Pareto front"));
  EXPECT_TRUE(contains(text, "67 %"));
}

TEST(EnergyAgainstAccuracy, OfALossLessIsBetter) {
  AccuracySettings settings;
  settings.metric = "accuracy";
  settings.lower_is_better = true;
  const auto unit = accuracy_of(told_runs(), settings).units[0];
  EXPECT_TRUE(unit.levels[0].on_front);
  EXPECT_FALSE(unit.levels[1].on_front);
  // Block 0: less energy at the same loss. 1: less energy, more loss. 2: neither.
  EXPECT_NEAR(unit.pairs[0].first, 1.0 / 3, 1e-15);
  EXPECT_NEAR(unit.pairs[0].second, 0, 1e-15);
}

TEST(EnergyAgainstAccuracy, ModelledEnergyHasNeitherFrontNorDominance) {
  const auto accuracy = accuracy_of(told_runs(Quality::model), {});
  EXPECT_TRUE(accuracy.units[0].pairs.empty());
  EXPECT_FALSE(accuracy.units[0].levels[0].on_front || accuracy.units[0].levels[1].on_front);
  EXPECT_FALSE(accuracy_json(accuracy)["units"][0]["levels"]["pytorch"].contains("on_front"));
  EXPECT_TRUE(contains(accuracy_text(accuracy, {}), "[modelled, not measured]"));
}

TEST(EnergyAgainstAccuracy, EnergyOfOtherDomainsHasNeitherToo) {
  auto runs = told_runs();
  runs[0].run.energy.covers = {"package", "gpu"};
  const auto accuracy = accuracy_of(runs, {});
  EXPECT_TRUE(accuracy.units[0].pairs.empty());
  EXPECT_TRUE(contains(accuracy_text(accuracy, {}), "no Pareto front: the energy of one is that"));
}

TEST(EnergyAgainstAccuracy, JudgesEachUnitByWhatAllItsLevelsTell) {
  auto runs = told_runs();
  for (auto run : told_runs()) {
    run.cell[1] = "gnmt";
    run.run.metrics = {{"loss", 3, second, {}}, {"perplexity", 20, second, {}}};
    // One level tells more than the other: that is no common measure.
    if (run.cell[2] == "pytorch") run.run.metrics.push_back({"accuracy", 0.5, second, {}});
    runs.push_back(run);
  }
  Study study = costs_study();
  study.factors[1].levels.emplace_back("gnmt");
  const auto accuracy = energy_against_accuracy(study, runs_by_unit(study, runs, true), {});
  ASSERT_EQ(accuracy.units.size(), 2u);
  EXPECT_EQ(accuracy.only_metric(), std::nullopt);
  for (const auto& unit : accuracy.units) {
    const bool is_gnmt = unit.cell.at("model") == "gnmt";
    EXPECT_EQ(unit.metric, is_gnmt ? "perplexity" : "accuracy");
    EXPECT_EQ(unit.lower_is_better, is_gnmt);
  }
  const auto text = accuracy_text(accuracy, {});
  EXPECT_TRUE(contains(text, "energy against quality"));
  EXPECT_TRUE(contains(text, "perplexity, lower is better"));
  EXPECT_TRUE(contains(text, "accuracy, higher is better"));
}

TEST(EnergyAgainstAccuracy, OfALossNobodyNamedNothingIsSaid) {
  auto runs = told_runs();
  for (auto& run : runs) run.run.metrics = {{"loss", 3, second, {}}};
  const auto accuracy = accuracy_of(runs, {});
  EXPECT_TRUE(accuracy.units.empty());
  EXPECT_EQ(accuracy.metrics, std::vector<std::string>{"loss"});
}

TEST(EnergyAgainstAccuracy, TimeHasAFrontWhereEnergyIsModelled) {
  AccuracySettings settings;
  settings.measure = "seconds";
  auto runs = told_runs(Quality::model);
  for (auto& run : runs)
    if (run.cell[2] == "tensorflow") run.run.wall = Seconds{5};
  const auto accuracy = accuracy_of(runs, settings);
  EXPECT_EQ(accuracy.units[0].reason, "");
  EXPECT_TRUE(accuracy.units[0].levels[1].on_front);
  EXPECT_DOUBLE_EQ(accuracy.units[0].levels[1].cost, 5);
  EXPECT_TRUE(contains(accuracy_text(accuracy, {}), "time against accuracy"));
  EXPECT_EQ(accuracy_json(accuracy)["units"][0]["levels"]["tensorflow"]["seconds"], 5);
}

TEST(EnergyAgainstAccuracy, NamesTheMetricThatWasMeant) {
  AccuracySettings settings;
  settings.metric = "acuracy";
  const auto accuracy = accuracy_of(told_runs(), settings);
  EXPECT_TRUE(accuracy.units.empty());
  EXPECT_TRUE(contains(accuracy_text(accuracy, {}), "no run told 'acuracy'"));
  EXPECT_TRUE(contains(accuracy_text(accuracy, {}), "did you mean accuracy?"));
}

/// Epochs of 2 s from 1 s after the start on, each of so many joules with an accuracy told at its
/// end.
StoredRun epochs_run(const std::string& framework, std::size_t block,
                     const std::vector<double>& accuracies, double joules_each = 10) {
  StoredRun run = costs_run({"train", "ncf", framework}, block, 100);
  run.run.wall = Seconds{1.0 + 2.0 * static_cast<double>(accuracies.size())};
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    const std::int64_t begin =
        run.run.begin_ns + second + static_cast<std::int64_t>(i) * 2 * second;
    SpanEnergy epoch{{"epoch", std::to_string(i + 1), begin, begin + 2 * second}, {}, {}};
    epoch.energy.metered = Energy{Joules{joules_each}, Joules{0.1}, Quality::chip};
    run.run.spans.push_back(epoch);
    run.run.metrics.push_back({"accuracy", accuracies[i], begin + 2 * second, {}});
  }
  return run;
}

ReachSettings reach_settings(double target) {
  ReachSettings settings;
  settings.target = target;
  return settings;
}

Reaches reaches_of(const std::vector<StoredRun>& runs, const ReachSettings& settings) {
  const Study study = costs_study();
  return energy_to_reach(study, runs_by_unit(study, runs, settings.paired), settings);
}

TEST(EnergyToReach, EndsWithTheFirstEpochThatReachesIt) {
  const auto run = epochs_run("pytorch", 0, {0.5, 0.91, 0.85, 0.95});
  const auto [is_told, reach] = reach_of(run, reach_settings(0.9));
  EXPECT_TRUE(is_told);
  ASSERT_TRUE(reach);
  EXPECT_EQ(reach->epoch, "2");
  EXPECT_DOUBLE_EQ(reach->seconds, 5);
  EXPECT_DOUBLE_EQ(reach->joules.value(), 20);  // two epochs; there are no samples
  EXPECT_FALSE(reach->whole);
  const auto never = reach_of(run, reach_settings(0.99));
  EXPECT_TRUE(never.is_told);
  EXPECT_FALSE(never.reach);
  EXPECT_FALSE(reach_of(told_run("pytorch", 0, 1, 1), reach_settings(0.9)).is_told);
}

TEST(EnergyToReach, CountsFromTheStartOfTheRunWhereThereAreSamples) {
  auto run = epochs_run("pytorch", 0, {0.5, 0.95});
  MeterInfo meter;
  meter.id = "powercap/intel-rapl:0";
  meter.domain = "package";
  meter.step = 1e-6;
  meter.quantum = 61e-6;
  meter.range = 262143328850;
  meter.update = Seconds{0.001};
  run.meters = {meter};
  auto settings = reach_settings(0.9);
  settings.samples = [&](const std::string& id, const TakeReading& take) {
    EXPECT_EQ(id, run.id);
    for (std::int64_t tick = -10; tick <= 700; ++tick) {  // 7 W, a reading every 10 ms
      Reading reading;
      reading.at_ns = run.run.begin_ns + tick * 10'000'000;
      reading.raw = static_cast<std::uint64_t>(1'000'000'000 + tick * 70'000);
      take(0, reading);
    }
  };
  const auto [is_told, reach] = reach_of(run, settings);
  ASSERT_TRUE(is_told && reach);
  EXPECT_TRUE(reach->whole);
  EXPECT_NEAR(reach->joules.value(), 35, 0.1);  // 5 s of 7 W, the second before the epochs too
}

TEST(EnergyToReach, ARunThatNeverReachesItIsNotMissing) {
  const std::vector<StoredRun> runs{epochs_run("pytorch", 0, {0.95}),
                                    epochs_run("tensorflow", 0, {0.5, 0.95}),
                                    epochs_run("pytorch", 1, {0.5, 0.95}),
                                    epochs_run("tensorflow", 1, {0.5, 0.6}),
                                    epochs_run("pytorch", 2, {0.5, 0.6, 0.7}),
                                    epochs_run("tensorflow", 2, {0.1, 0.2}),
                                    told_run("pytorch", 3, 5, 0.99)};
  const auto reaches = reaches_of(runs, reach_settings(0.9));
  ASSERT_EQ(reaches.units.size(), 1u);
  const LevelReach& pytorch = reaches.units[0].levels[0];
  const LevelReach& tensorflow = reaches.units[0].levels[1];
  EXPECT_EQ(pytorch.reached, 2u);
  EXPECT_EQ(pytorch.not_reached, 1u);
  EXPECT_EQ(pytorch.untold, 1u);
  EXPECT_DOUBLE_EQ(pytorch.median_joules.value(), 20);  // of 10, 20 and never
  EXPECT_DOUBLE_EQ(pytorch.median_seconds.value(), 5);
  EXPECT_DOUBLE_EQ(pytorch.mean_joules.value(), 15);
  EXPECT_EQ(tensorflow.reached, 1u);
  EXPECT_EQ(tensorflow.not_reached, 2u);
  EXPECT_FALSE(tensorflow.median_joules);  // the middle one never reached it
  const auto& pair = reaches.units[0].pairs.at(0);
  EXPECT_EQ(pair.n, 3u);
  EXPECT_NEAR(pair.first_less, (1 + 1 + 0.5) / 3, 1e-15);
  const auto text = reach_text(reaches, {});
  EXPECT_TRUE(contains(text, "energy to reach accuracy >= 0.9"));
  EXPECT_TRUE(contains(text, "2 of 3"));
  EXPECT_TRUE(contains(text, "epochs alone; 1 without the metric"));
  const auto json = reach_json(reaches);
  EXPECT_EQ(json["units"][0]["levels"]["tensorflow"]["not_reached"], 2);
  EXPECT_FALSE(json["units"][0]["levels"]["tensorflow"].contains("median_joules"));
  EXPECT_EQ(json["units"][0]["levels"]["pytorch"]["energy_from"], "epochs");
}

TEST(EnergyToReach, OfALossIsReachedFromAbove) {
  auto settings = reach_settings(0.6);
  settings.lower_is_better = true;
  const auto [is_told, reach] = reach_of(epochs_run("pytorch", 0, {0.9, 0.7, 0.6}), settings);
  ASSERT_TRUE(is_told && reach);
  EXPECT_EQ(reach->epoch, "3");
}

TEST(EnergyToReach, AnEpochWithoutAFigureLeavesNoEnergyButATime) {
  auto run = epochs_run("pytorch", 0, {0.5, 0.95});
  run.run.spans[0].energy.metered.reset();
  const auto reaches = reaches_of({run}, reach_settings(0.9));
  const auto& level = reaches.units[0].levels[0];
  EXPECT_EQ(level.reached, 1u);
  EXPECT_FALSE(level.median_joules);
  EXPECT_TRUE(level.median_seconds);
}

TEST(EnergyToReach, SaysWhenNothingTells) {
  const auto reaches = reaches_of(told_runs(), reach_settings(0.9));
  EXPECT_TRUE(reaches.units.empty());
  EXPECT_TRUE(contains(reach_text(reaches, {}), "no run tells accuracy within a span 'epoch'"));
}

}  // namespace
}  // namespace prengdl
