// SPDX-License-Identifier: Apache-2.0
#include "analysis/score.h"

#include <gtest/gtest.h>

#include "analysis/cost_to_score.h"
#include "analysis/costs_study.h"
#include "model/window.h"
#include "print/costs.h"

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

Scores accuracy_of(const std::vector<StoredRun>& runs, const ScoreSettings& settings) {
  const Study study = costs_study();
  return cost_against_score(study, runs_by_case(study, runs, settings.paired), settings);
}

TEST(EnergyAgainstAccuracy, TakesTheLastValueTold) {
  prengdl::Run run;
  run.metrics = {{"accuracy", 0.9, 5, {}}, {"accuracy", 0.5, 3, {}}, {"loss", 2, 9, {}}};
  EXPECT_EQ(final_metric(run, "accuracy"), 0.9);  // by time, not by place
  EXPECT_EQ(final_metric(run, "loss"), 2);
  EXPECT_EQ(final_metric(run, "f1"), std::nullopt);
}

TEST(EnergyAgainstAccuracy, CountsHowOftenOneDominates) {
  ScoreSettings settings;
  const auto paired = accuracy_of(told_runs(), settings);
  ASSERT_EQ(paired.cases.size(), 1u);
  const auto& pair = paired.cases[0].pairs.at(0);
  EXPECT_EQ(pair.n, 3u);  // blocks 0 and 1 go to pytorch, 2 to tensorflow
  EXPECT_NEAR(pair.first, 2.0 / 3, 1e-15);
  EXPECT_NEAR(pair.second, 1.0 / 3, 1e-15);

  settings.paired = false;
  const auto each = accuracy_of(told_runs(), settings).cases[0].pairs.at(0);
  EXPECT_EQ(each.n, 9u);
  // 10/.8 beats 15/.8 and 25/.8; 20/.9 beats 25/.8; 30/.7 loses to all three.
  EXPECT_NEAR(each.first, 3.0 / 9, 1e-15);
  EXPECT_NEAR(each.second, 3.0 / 9, 1e-15);
}

TEST(EnergyAgainstAccuracy, EqualEnergyDominatesNothing) {
  const std::vector<StoredRun> runs{told_run("pytorch", 0, 10, 0.9),
                                    told_run("tensorflow", 0, 10, 0.8)};
  const auto unit = accuracy_of(runs, {}).cases[0];
  EXPECT_EQ(unit.pairs[0].first, 0);
  EXPECT_EQ(unit.pairs[0].second, 0);
  EXPECT_TRUE(unit.levels[0].on_front);
  EXPECT_FALSE(unit.levels[1].on_front);  // the same energy reaches more
}

TEST(EnergyAgainstAccuracy, MarksTheParetoFront) {
  const auto unit = accuracy_of(told_runs(), {}).cases[0];
  ASSERT_EQ(unit.levels.size(), 2u);
  EXPECT_NEAR(unit.levels[0].cost, 20, 1e-12);
  EXPECT_NEAR(unit.levels[0].metric, 0.8, 1e-12);
  EXPECT_NEAR(unit.levels[1].cost, 20, 1e-12);
  EXPECT_NEAR(unit.levels[1].metric, 0.85, 1e-12);
  EXPECT_FALSE(unit.levels[0].on_front);
  EXPECT_TRUE(unit.levels[1].on_front);
  const auto text = scores_text(accuracy_of(told_runs(), {}), {});
  EXPECT_TRUE(contains(text, "on the Pareto front"));
  EXPECT_TRUE(contains(text, "67 %"));
}

TEST(EnergyAgainstAccuracy, OfALossLessIsBetter) {
  ScoreSettings settings;
  settings.metric = "accuracy";
  settings.lower_is_better = true;
  const auto unit = accuracy_of(told_runs(), settings).cases[0];
  EXPECT_TRUE(unit.levels[0].on_front);
  EXPECT_FALSE(unit.levels[1].on_front);
  // Block 0: less energy at the same loss. 1: less energy, more loss. 2: neither.
  EXPECT_NEAR(unit.pairs[0].first, 1.0 / 3, 1e-15);
  EXPECT_NEAR(unit.pairs[0].second, 0, 1e-15);
}

TEST(EnergyAgainstAccuracy, ModelledEnergyHasNeitherFrontNorDominance) {
  const auto accuracy = accuracy_of(told_runs(Quality::model), {});
  EXPECT_TRUE(accuracy.cases[0].pairs.empty());
  EXPECT_FALSE(accuracy.cases[0].levels[0].on_front || accuracy.cases[0].levels[1].on_front);
  EXPECT_FALSE(scores_json(accuracy)["cases"][0]["levels"]["pytorch"].contains("on_front"));
  EXPECT_TRUE(contains(scores_text(accuracy, {}), "[modelled, not measured]"));
}

TEST(EnergyAgainstAccuracy, EnergyOfOtherDomainsHasNeitherToo) {
  auto runs = told_runs();
  runs[0].run.energy.covers = {"package", "gpu"};
  const auto accuracy = accuracy_of(runs, {});
  EXPECT_TRUE(accuracy.cases[0].pairs.empty());
  EXPECT_TRUE(contains(scores_text(accuracy, {}), "no Pareto front: one level has the energy of"));
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
  const auto accuracy = cost_against_score(study, runs_by_case(study, runs, true), {});
  ASSERT_EQ(accuracy.cases.size(), 2u);
  EXPECT_EQ(accuracy.only_metric(), std::nullopt);
  for (const auto& unit : accuracy.cases) {
    const bool is_gnmt = unit.cell.at("model") == "gnmt";
    EXPECT_EQ(unit.metric, is_gnmt ? "perplexity" : "accuracy");
    EXPECT_EQ(unit.lower_is_better, is_gnmt);
  }
  const auto text = scores_text(accuracy, {});
  EXPECT_TRUE(contains(text, "energy against score"));
  EXPECT_TRUE(contains(text, "perplexity, lower is better"));
  EXPECT_TRUE(contains(text, "accuracy, higher is better"));
}

TEST(EnergyAgainstAccuracy, OfALossNobodyNamedNothingIsSaid) {
  auto runs = told_runs();
  for (auto& run : runs) run.run.metrics = {{"loss", 3, second, {}}};
  const auto accuracy = accuracy_of(runs, {});
  EXPECT_TRUE(accuracy.cases.empty());
  EXPECT_EQ(accuracy.metrics, std::vector<std::string>{"loss"});
}

TEST(EnergyAgainstAccuracy, TimeHasAFrontWhereEnergyIsModelled) {
  ScoreSettings settings;
  settings.measure = "seconds";
  auto runs = told_runs(Quality::model);
  for (auto& run : runs)
    if (run.cell[2] == "tensorflow") run.run.wall = Seconds{5};
  const auto accuracy = accuracy_of(runs, settings);
  EXPECT_EQ(accuracy.cases[0].reason, "");
  EXPECT_TRUE(accuracy.cases[0].levels[1].on_front);
  EXPECT_DOUBLE_EQ(accuracy.cases[0].levels[1].cost, 5);
  EXPECT_TRUE(contains(scores_text(accuracy, {}), "time against accuracy"));
  EXPECT_EQ(scores_json(accuracy)["cases"][0]["levels"]["tensorflow"]["seconds"], 5);
}

TEST(EnergyAgainstAccuracy, NamesTheMetricThatWasMeant) {
  ScoreSettings settings;
  settings.metric = "acuracy";
  const auto accuracy = accuracy_of(told_runs(), settings);
  EXPECT_TRUE(accuracy.cases.empty());
  EXPECT_TRUE(contains(scores_text(accuracy, {}), "no run with energy emitted 'acuracy'"));
  EXPECT_TRUE(contains(scores_text(accuracy, {}), "did you mean accuracy?"));
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

CostToScoreSettings reach_settings(double target) {
  CostToScoreSettings settings;
  settings.target = target;
  return settings;
}

CostsToScore reaches_of(const std::vector<StoredRun>& runs, const CostToScoreSettings& settings) {
  const Study study = costs_study();
  return cost_to_score(study, runs_by_case(study, runs, settings.paired), settings);
}

TEST(EnergyToReach, EndsWithTheFirstEpochThatReachesIt) {
  const auto run = epochs_run("pytorch", 0, {0.5, 0.91, 0.85, 0.95});
  const auto [is_emitted, reach] = cost_to_score_of(run, reach_settings(0.9));
  EXPECT_TRUE(is_emitted);
  ASSERT_TRUE(reach);
  EXPECT_EQ(reach->epoch, "2");
  EXPECT_DOUBLE_EQ(reach->seconds, 5);
  EXPECT_DOUBLE_EQ(reach->joules.value(), 20);  // two epochs; there are no samples
  EXPECT_FALSE(reach->whole);
  const auto never = cost_to_score_of(run, reach_settings(0.99));
  EXPECT_TRUE(never.is_emitted);
  EXPECT_FALSE(never.reach);
  EXPECT_FALSE(cost_to_score_of(told_run("pytorch", 0, 1, 1), reach_settings(0.9)).is_emitted);
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
  const auto [is_emitted, reach] = cost_to_score_of(run, settings);
  ASSERT_TRUE(is_emitted && reach);
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
  ASSERT_EQ(reaches.cases.size(), 1u);
  const LevelCostToScore& pytorch = reaches.cases[0].levels[0];
  const LevelCostToScore& tensorflow = reaches.cases[0].levels[1];
  EXPECT_EQ(pytorch.reached, 2u);
  EXPECT_EQ(pytorch.not_reached, 1u);
  EXPECT_EQ(pytorch.untold, 1u);
  EXPECT_DOUBLE_EQ(pytorch.median_joules.value(), 20);  // of 10, 20 and never
  EXPECT_DOUBLE_EQ(pytorch.median_seconds.value(), 5);
  EXPECT_DOUBLE_EQ(pytorch.mean_joules.value(), 15);
  EXPECT_EQ(tensorflow.reached, 1u);
  EXPECT_EQ(tensorflow.not_reached, 2u);
  EXPECT_FALSE(tensorflow.median_joules);  // the middle one never reached it
  const auto& pair = reaches.cases[0].pairs.at(0);
  EXPECT_EQ(pair.n, 3u);
  EXPECT_NEAR(pair.first_less, (1 + 1 + 0.5) / 3, 1e-15);
  const auto text = cost_to_score_text(reaches, {});
  EXPECT_TRUE(contains(text, "energy to reach accuracy >= 0.9"));
  EXPECT_TRUE(contains(text, "1 run without the metric"));
  const auto json = cost_to_score_json(reaches);
  EXPECT_EQ(json["cases"][0]["levels"]["tensorflow"]["not_reached"], 2);
  EXPECT_FALSE(json["cases"][0]["levels"]["tensorflow"].contains("median_joules"));
  EXPECT_EQ(json["cases"][0]["levels"]["pytorch"]["energy_from"], "epochs");
}

TEST(EnergyToReach, OfALossIsReachedFromAbove) {
  auto settings = reach_settings(0.6);
  settings.lower_is_better = true;
  const auto [is_emitted, reach] =
      cost_to_score_of(epochs_run("pytorch", 0, {0.9, 0.7, 0.6}), settings);
  ASSERT_TRUE(is_emitted && reach);
  EXPECT_EQ(reach->epoch, "3");
}

TEST(EnergyToReach, AnEpochWithoutAFigureLeavesNoEnergyButATime) {
  auto run = epochs_run("pytorch", 0, {0.5, 0.95});
  run.run.spans[0].energy.metered.reset();
  const auto reaches = reaches_of({run}, reach_settings(0.9));
  const auto& level = reaches.cases[0].levels[0];
  EXPECT_EQ(level.reached, 1u);
  EXPECT_FALSE(level.median_joules);
  EXPECT_TRUE(level.median_seconds);
}

TEST(EnergyToReach, SaysWhenNothingTells) {
  const auto reaches = reaches_of(told_runs(), reach_settings(0.9));
  EXPECT_TRUE(reaches.cases.empty());
  EXPECT_TRUE(
      contains(cost_to_score_text(reaches, {}), "no run emitted accuracy within a span 'epoch'"));
}

}  // namespace
}  // namespace prengdl
