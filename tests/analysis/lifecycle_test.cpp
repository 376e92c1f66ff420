// SPDX-License-Identifier: Apache-2.0
#include "analysis/lifecycle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/costs_study.h"
#include "print/costs.h"
#include "stats/log_ratio.h"

namespace prengdl {
namespace {

using Outcome = LifecyclePair::Outcome;

std::string error_of(const std::string& option) {
  const auto plan = parse_lifecycle(costs_study(), option);
  return plan ? "" : std::string(plan.error().what()) + " | " + plan.error().hint;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// pytorch trains at 100 J on average and infers at 12 J, tensorflow at 160 J and 10 J.
std::vector<StoredRun> crossing_runs(Quality quality = Quality::chip) {
  std::vector<StoredRun> runs;
  add_runs(runs, {"train", "ncf", "pytorch"}, {98, 100, 102}, quality);
  add_runs(runs, {"train", "ncf", "tensorflow"}, {159, 160, 161}, quality);
  add_runs(runs, {"infer", "ncf", "pytorch"}, {11.9, 12, 12.1}, quality);
  add_runs(runs, {"infer", "ncf", "tensorflow"}, {10, 9.9, 10.1}, quality);
  return runs;
}

Lifecycle life_of(const std::vector<StoredRun>& runs, const std::string& option,
                  const LifecycleSettings& settings = {}, const std::string& per = {}) {
  Study study = costs_study();
  study.analysis.per = per;
  return lifecycle(study, runs_by_case(study, runs, settings.paired),
                   parse_lifecycle(study, option).value(), settings);
}

TEST(LifecycleOption, NamesAFactorByItsLevels) {
  const auto plan = parse_lifecycle(costs_study(), "train=1, infer=N").value();
  EXPECT_EQ(plan.factor, "phase");
  ASSERT_EQ(plan.phases.size(), 2u);
  EXPECT_EQ(plan.phases[0].times, 1);
  EXPECT_EQ(plan.phases[1].times, std::nullopt);
  EXPECT_EQ(plan.repeated, 1u);
  EXPECT_EQ(parse_lifecycle(costs_study(), "infer=N,train=2").value().repeated, 0u);
  EXPECT_EQ(parse_lifecycle(costs_study(), "train=1,infer=1e6").value().repeated, 1u);
}

TEST(LifecycleOption, SaysWhatIsWrongAndWhatWasMeant) {
  EXPECT_TRUE(contains(error_of("train=1,infre=N"), "no phase 'infre' | did you mean infer?"));
  EXPECT_TRUE(contains(error_of("train=1,pytorch=2"), "'pytorch' is a level of framework, which"));
  EXPECT_TRUE(contains(error_of("train=1"), "at least two phases"));
  EXPECT_TRUE(contains(error_of("train=N,infer=N"), "only one phase can be left open"));
  EXPECT_TRUE(contains(error_of("train=1,train=2"), "twice"));
  EXPECT_TRUE(contains(error_of("train=-1,infer=2"), "'-1' is not how often train occurs"));
  EXPECT_TRUE(contains(error_of("train,infer=2"), "'train' does not say how often"));
  EXPECT_TRUE(contains(error_of(""), "does not say how often"));
  EXPECT_TRUE(contains(error_of("train=1,ncf=2"), "no phase 'ncf'"));
}

TEST(Lifecycle, FindsWhereTwoLevelsBreakEven) {
  const auto life = life_of(crossing_runs(), "train=1,infer=N");
  ASSERT_EQ(life.cases.size(), 1u);
  const auto& unit = life.cases[0];
  EXPECT_EQ(unit.cell, (CellPattern{{"model", "ncf"}}));
  EXPECT_EQ(unit.per, std::nullopt);
  EXPECT_DOUBLE_EQ(unit.levels[0].fixed, 100);
  EXPECT_DOUBLE_EQ(unit.levels[1].each, 10);
  EXPECT_FALSE(unit.levels[0].total);
  ASSERT_EQ(unit.pairs.size(), 1u);
  const auto& pair = unit.pairs[0];
  EXPECT_EQ(pair.outcome, Outcome::break_even);
  EXPECT_NEAR(pair.break_even.value(), 30, 1e-9);  // 60 J saved once, 2 J lost each time
  EXPECT_EQ(pair.less_before, "pytorch");
  EXPECT_EQ(pair.less_after, "tensorflow");
  // Differences of a block: 61 60 59 of training, 1.9 2.1 2.0 of inference, each over 2 degrees.
  const Scattered once{60, 1.0 / 3, 2};
  const Scattered each{2, 0.01 / 3, 2};
  const double error = 1.0 / 3 + 900 * 0.01 / 3;
  const double freedom = error * error / (1.0 / 9 / 2 + (900 * 0.01 / 3) * (900 * 0.01 / 3) / 2);
  const double t = student_factor(0.95, freedom);
  const double a = 4 - t * t * each.variance;
  const double root = std::sqrt(120 * 120 - a * (3600 - t * t * once.variance));
  ASSERT_EQ(pair.may_be_equal.value().size(), 1u);
  EXPECT_NEAR(pair.may_be_equal->front().from, (120 - root) / a, 1e-8);
  EXPECT_NEAR(pair.may_be_equal->front().to.value(), (120 + root) / a, 1e-8);
  EXPECT_TRUE(contains(lifecycle_text(life, {}),
                       "ncf: pytorch costs less up to 30 runs, tensorflow beyond (95 %"));
}

TEST(Lifecycle, AddsUpATotalWhereTheTimesAreGiven) {
  const auto life = life_of(crossing_runs(), "train=2,infer=100");
  const auto& unit = life.cases[0];
  EXPECT_DOUBLE_EQ(unit.levels[0].total.value(), 2 * 100 + 100 * 12);
  EXPECT_DOUBLE_EQ(unit.levels[1].total.value(), 2 * 160 + 100 * 10);
  const auto& total = unit.pairs[0].total.value();
  EXPECT_NEAR(total.value, 1400.0 / 1320, 1e-12);
  EXPECT_FALSE(total.p);
  // The delta method: per block 2 (a / 1400 - b / 1320) of training and 100 (...) of inference.
  const auto variance = [](const std::vector<double>& values) {
    return scattered_mean(values).value();
  };
  std::vector<double> once;
  std::vector<double> each;
  const double train_a[] = {98, 100, 102};
  const double train_b[] = {159, 160, 161};
  const double infer_a[] = {11.9, 12, 12.1};
  const double infer_b[] = {10, 9.9, 10.1};
  for (int i = 0; i < 3; ++i) {
    once.push_back(2 * (train_a[i] / 1400 - train_b[i] / 1320));
    each.push_back(100 * (infer_a[i] / 1400 - infer_b[i] / 1320));
  }
  const auto error = sum_of(variance(once), variance(each));
  const double half = student_factor(0.95, error.freedom) * std::sqrt(error.variance);
  EXPECT_NEAR((*total.ci95)[0], 1400.0 / 1320 * std::exp(-half), 1e-10);
  EXPECT_NEAR((*total.ci95)[1], 1400.0 / 1320 * std::exp(half), 1e-10);
}

TEST(Lifecycle, SaysWhenOneCostsLessForEveryN) {
  std::vector<StoredRun> runs;
  add_runs(runs, {"train", "ncf", "pytorch"}, {98, 100, 102});
  add_runs(runs, {"train", "ncf", "tensorflow"}, {159, 160, 161});
  add_runs(runs, {"infer", "ncf", "pytorch"}, {9.9, 10, 10.1});
  add_runs(runs, {"infer", "ncf", "tensorflow"}, {12.1, 11.9, 12});
  const auto life = life_of(runs, "train=1,infer=N");
  const auto& pair = life.cases[0].pairs[0];
  EXPECT_EQ(pair.outcome, Outcome::first_always);
  EXPECT_FALSE(pair.break_even);
  EXPECT_TRUE(pair.may_be_equal.value().empty());
  EXPECT_TRUE(contains(lifecycle_text(life, {}),
                       "no break-even: pytorch costs less for every N, shown at 95 %"));
}

TEST(Lifecycle, DoesNotCallShownWhatTheRunsDoNotShow) {
  std::vector<StoredRun> runs;
  add_runs(runs, {"train", "ncf", "pytorch"}, {98, 100, 102});
  add_runs(runs, {"train", "ncf", "tensorflow"}, {159, 160, 161});
  add_runs(runs, {"infer", "ncf", "pytorch"}, {8, 10, 12});
  add_runs(runs, {"infer", "ncf", "tensorflow"}, {12, 10.5, 8});  // 10.17: more, but it scatters
  const auto life = life_of(runs, "train=1,infer=N");
  const auto& pair = life.cases[0].pairs[0];
  EXPECT_EQ(pair.outcome, Outcome::first_always);
  ASSERT_EQ(pair.may_be_equal.value().size(), 1u);
  EXPECT_GT(pair.may_be_equal->front().from, 0);
  EXPECT_FALSE(pair.may_be_equal->front().to);
  EXPECT_TRUE(contains(lifecycle_text(life, {}), "not shown: they may cost the same at N of"));
}

TEST(Lifecycle, CountsInferencesWhereTheyAreTold) {
  auto runs = crossing_runs();
  for (auto& run : runs) {
    if (run.cell[0] == "infer") run.run.work = {{"inferences", 1000}};
    if (run.cell[0] == "train") run.run.work = {{"samples", 50}};
  }
  const auto life = life_of(runs, "train=1,infer=N", {}, "inferences");
  EXPECT_EQ(life.cases[0].per, "inferences");
  EXPECT_DOUBLE_EQ(life.cases[0].levels[0].fixed, 100);  // training is paid by the run
  EXPECT_NEAR(life.cases[0].levels[0].each, 0.012, 1e-15);
  EXPECT_NEAR(life.cases[0].pairs[0].break_even.value(), 30'000, 1e-6);
  EXPECT_NEAR(life_of(runs, "train=1,infer=N").cases[0].pairs[0].break_even.value(), 30, 1e-9);
}

TEST(Lifecycle, WithoutBlocksTakesTheSamplesAsIndependent) {
  LifecycleSettings settings;
  settings.paired = false;
  const auto pair = life_of(crossing_runs(), "train=1,infer=N", settings).cases[0].pairs[0];
  EXPECT_NEAR(pair.break_even.value(), 30, 1e-9);
  const auto train = sum_of({160, 1.0 / 3, 2}, {100, 4.0 / 3, 2}, -1);
  const auto infer = sum_of({12, 0.01 / 3, 2}, {10, 0.01 / 3, 2}, -1);
  const auto expected = fieller_set(train, infer);
  ASSERT_EQ(pair.may_be_equal.value().size(), 1u);
  EXPECT_NEAR(pair.may_be_equal->front().from, expected[0].from, 1e-9);
  EXPECT_NEAR(pair.may_be_equal->front().to.value(), expected[0].to.value(), 1e-9);
}

TEST(Lifecycle, ModelledEnergyHasNoInterval) {
  const auto life = life_of(crossing_runs(Quality::model), "train=1,infer=10");
  const auto& pair = life.cases[0].pairs[0];
  EXPECT_TRUE(pair.break_even);
  EXPECT_FALSE(pair.may_be_equal);
  EXPECT_FALSE(pair.total.value().ci95);
  const auto text = lifecycle_text(life, {});
  EXPECT_TRUE(contains(text, "[modelled, not measured]"));
  EXPECT_TRUE(contains(text, "no interval: the energy is modelled"));
}

TEST(Lifecycle, OneRunHasNoIntervalAndAPhaseWithoutRunsNoLife) {
  auto runs = crossing_runs();
  std::erase_if(runs, [](const StoredRun& run) { return run.cell[0] == "infer" && run.block > 0; });
  const auto life = life_of(runs, "train=1,infer=N");
  EXPECT_FALSE(life.cases[0].pairs[0].may_be_equal);
  EXPECT_EQ(life.cases[0].pairs[0].reason, "infer has too few runs for an interval");
  std::erase_if(runs, [](const StoredRun& run) {
    return run.cell[0] == "infer" && run.cell[2] == "pytorch";
  });
  const auto half = life_of(runs, "train=1,infer=N");
  ASSERT_EQ(half.cases[0].levels.size(), 1u);
  EXPECT_TRUE(half.cases[0].pairs.empty());
}

TEST(Lifecycle, EnergyOfOtherDomainsOrOtherBlocksIsNotComparable) {
  auto runs = crossing_runs();
  for (auto& run : runs)
    if (run.cell[2] == "pytorch") run.run.energy.covers = {"gpu", "package"};
  const auto life = life_of(runs, "train=1,infer=N");
  EXPECT_EQ(life.cases[0].pairs[0].outcome, Outcome::not_comparable);
  EXPECT_TRUE(contains(lifecycle_text(life, {}),
                       "pytorch and tensorflow are not comparable: one level has the energy of "
                       "gpu + package, the other that of package"));
  auto apart = crossing_runs();
  for (auto& run : apart)
    if (run.cell[2] == "pytorch") run.block += 100;
  EXPECT_EQ(life_of(apart, "train=1,infer=N").cases[0].pairs[0].reason,
            "train has no block with both");
}

TEST(Lifecycle, NotesAPhaseThatIsLeftOutAndTellsProgramsTheSame) {
  Study study = costs_study();
  study.factors[0].levels.push_back("validate");
  const auto runs = crossing_runs();
  const auto life = lifecycle(study, runs_by_case(study, runs, true),
                              parse_lifecycle(study, "train=1,infer=N").value(), {});
  ASSERT_EQ(life.notes.size(), 1u);
  EXPECT_EQ(life.notes[0], "phase=validate is no part of this life");
  const auto json = lifecycle_json(life);
  EXPECT_EQ(json["factor"], "phase");
  EXPECT_TRUE(json["phases"][1]["repeated"]);
  EXPECT_FALSE(json["phases"][1].contains("times"));
  const auto& unit = json["cases"][0];
  EXPECT_EQ(unit["counts"], "runs");
  EXPECT_EQ(unit["quality"], "chip");
  EXPECT_EQ(unit["levels"]["tensorflow"]["fixed"], 160);
  EXPECT_EQ(unit["pairs"][0]["outcome"], "break_even");
  EXPECT_NEAR(unit["pairs"][0]["break_even"].get<double>(), 30, 1e-9);
  EXPECT_LT(unit["pairs"][0]["may_be_equal"][0]["from"].get<double>(), 30);
}

}  // namespace
}  // namespace prengdl
