// SPDX-License-Identifier: Apache-2.0
#include "stats/stopping.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/simulated_studies.h"
#include "conclude/early_stopping.h"
#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;

constexpr std::size_t studies = 2'000;
/// Four standard errors of a simulated share of 5 or 95 %.
constexpr double tolerance = 0.0195;

/// Differences with this mean and an sd of about 0.01.
Values differences(std::size_t n, double centre) {
  Values made;
  for (std::size_t i = 0; i < n; ++i)
    made.push_back(0.014 * std::sin(static_cast<double>(7 * i * i + 3)));
  const double off = n > 0 ? centre - mean(made) : 0;
  for (double& value : made) value += off;
  return made;
}

TEST(LogRatioSequence, AtASingleLookIsThePlainInterval) {
  bench::Random random(3);
  const auto [base, candidate] = bench::sample(random, 12, 1.1, true);
  const auto plain = paired_log_ratio(candidate, base).value();
  const auto values = log_differences(candidate, base).value();
  const auto sequence = log_ratio_sequence(values, {12, 12}, 0.05).value();
  EXPECT_NEAR(sequence.ratio, plain.ratio, 1e-12);
  EXPECT_NEAR(sequence.interval[0], plain.ci95[0], 1e-9);
  EXPECT_NEAR(sequence.interval[1], plain.ci95[1], 1e-9);
  EXPECT_NEAR(sequence_p(values, {12, 12}).value(), plain.p, 1e-6 * plain.p);
}

TEST(LogRatioSequence, IsWiderThanThePlainInterval) {
  const auto values = differences(15, 0.1);
  const auto sequence = log_ratio_sequence(values, {10, 30}, 0.05).value();
  const double half = student_quantile(0.975, 14) * standard_deviation(values) / std::sqrt(15.0);
  EXPECT_GT(std::log(sequence.interval[1] / sequence.ratio), half);
  EXPECT_EQ(sequence.n, 15u);
  EXPECT_LT(sequence.nominal, 0.05);
}

TEST(LogRatioSequence, ItsPIsTheAlphaAtWhichTheIntervalTouchesOne) {
  const LookPlan plan{10, 30};
  for (const double centre : {0.004, 0.005, 0.007, -0.006}) {
    const auto values = differences(17, centre);
    const double p = sequence_p(values, plan).value();
    ASSERT_GT(p, 1e-8);
    ASSERT_LT(p, 0.5);
    const auto excludes_one = [&](double alpha) {
      const auto interval = log_ratio_sequence(values, plan, alpha)->interval;
      return interval[0] > 1 || interval[1] < 1;
    };
    EXPECT_TRUE(excludes_one(p * 1.001)) << centre;
    EXPECT_FALSE(excludes_one(p * 0.999)) << centre;
  }
}

TEST(LogRatioSequence, HasAPOfOneWithoutAnyDifferenceAndATinyOneWithALargeOne) {
  Values values{1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
  EXPECT_NEAR(sequence_p(values, {10, 30}).value(), 1, 1e-4);
  const double p = sequence_p(differences(10, 5), {10, 30}).value();
  EXPECT_GT(p, 0);
  EXPECT_LT(p, 1e-10);
}

TEST(LogRatioSequence, RefusesWhatIsNoLookOfThePlan) {
  EXPECT_FALSE(log_ratio_sequence(differences(9, 0), {10, 20}, 0.05));
  EXPECT_FALSE(log_ratio_sequence(differences(21, 0), {10, 20}, 0.05));
  EXPECT_TRUE(log_ratio_sequence(differences(20, 0), {10, 20}, 0.05));
  EXPECT_FALSE(log_ratio_sequence(Values(10, 0.7), {10, 20}, 0.05)) << "no spread";
  EXPECT_FALSE(log_ratio_sequence(Values(10, 0.0), {10, 20}, 0.05)) << "no spread";
  EXPECT_FALSE(sequence_p(Values(10, 0.7), {10, 20}));
  EXPECT_FALSE(log_ratio_sequence(Values(10, std::nan("")), {10, 20}, 0.05));
  EXPECT_FALSE(log_differences(Values{1, 2}, Values{1}));
  EXPECT_FALSE(log_differences(Values{1, 0}, Values{1, 2}));
  EXPECT_FALSE(log_differences(Values{1, 1}, Values{1, -2}));
  EXPECT_FALSE(log_differences(Values{std::nan("")}, Values{1}));
}

Study study_that_may_stop() {
  Study study;
  study.runs = 30;
  study.protocol.stopping.rule = Stopping::Rule::sequence;
  study.protocol.stopping.at_least = 12;
  study.analysis.alpha = 0.1;
  study.analysis.margin = 0.02;
  return study;
}

TEST(StopRule, TakesWhatTheStudySays) {
  const auto rule = stop_rule(study_that_may_stop(), 6).value();
  EXPECT_EQ(rule.first, 12u);
  EXPECT_EQ(rule.planned, 30u);
  EXPECT_EQ(rule.comparisons, 6u);
  EXPECT_EQ(rule.alpha, 0.1);
  EXPECT_EQ(rule.margin, 0.02);
}

TEST(StopRule, IsRefusedWhereItCouldNotKeepItsErrorRate) {
  const auto refuses = [](auto change) {
    Study study = study_that_may_stop();
    change(study);
    return !stop_rule(study, 6);
  };
  EXPECT_FALSE(refuses([](Study&) {}));
  EXPECT_TRUE(refuses([](Study& study) { study.protocol.repeat_disturbed = true; }));
  EXPECT_TRUE(refuses([](Study& study) { study.protocol.stopping.rule = Stopping::Rule::never; }));
  EXPECT_TRUE(refuses([](Study& study) { study.protocol.stopping.at_least = 9; }));
  EXPECT_TRUE(refuses([](Study& study) { study.runs = 12; }));
  EXPECT_TRUE(refuses([](Study& study) { study.analysis.test = "rank"; }));
  EXPECT_FALSE(stop_rule(study_that_may_stop(), 0));
}

/// A unit after so many blocks, its cells `ratios` times the first one, with some spread.
StoppingInput unit(std::size_t blocks, const Values& ratios) {
  StoppingInput input;
  input.rule.planned = 30;
  input.rule.comparisons = ratios.size();
  input.rule.margin = 0.05;
  input.blocks = blocks;
  for (const double ratio : ratios) {
    PairedValues values;
    values.pair = {"a", "b"};
    for (const double difference : differences(blocks, std::log(ratio))) {
      values.first.push_back(10 * std::exp(difference));
      values.second.push_back(10);
    }
    input.comparisons.push_back(values);
  }
  return input;
}

TEST(MayStop, EndsAUnitWhoseComparisonsAreAllDecided) {
  const auto decision = may_stop(unit(14, {1.3, 0.8, 1.001}));
  EXPECT_TRUE(decision.stop);
  EXPECT_TRUE(decision.early);
  EXPECT_EQ(decision.blocks, 14u);
  EXPECT_EQ(decision.planned, 30u);
  ASSERT_EQ(decision.comparisons.size(), 3u);
  EXPECT_EQ(decision.comparisons[0].verdict, Verdict::less);
  EXPECT_EQ(decision.comparisons[2].verdict, Verdict::equivalent);
  EXPECT_DOUBLE_EQ(decision.comparisons[0].sequence->alpha, 0.05 / 3) << "they share alpha";
  EXPECT_NE(decision.reason.find("14 of 30"), std::string::npos);
}

TEST(MayStop, GoesOnWhileOneIsOpen) {
  const auto decision = may_stop(unit(14, {1.3, 1.05}));
  EXPECT_EQ(decision.comparisons[0].verdict, Verdict::less);
  EXPECT_EQ(decision.comparisons[1].verdict, Verdict::less);
  auto input = unit(14, {1.3, 1.05});
  input.comparisons[1].first[0] *= 2;
  EXPECT_FALSE(may_stop(input).stop);
}

TEST(MayStop, NeverEndsBeforeTheFirstLook) {
  const auto decision = may_stop(unit(9, {3.0}));
  EXPECT_FALSE(decision.stop);
  EXPECT_FALSE(decision.comparisons[0].reason.empty());
  EXPECT_TRUE(may_stop(unit(10, {3.0})).stop);
  auto input = unit(12, {3.0});  // of 12 blocks only 9 have both figures
  input.comparisons[0].first.resize(9);
  input.comparisons[0].second.resize(9);
  EXPECT_FALSE(may_stop(input).stop);
}

TEST(MayStop, EndsAtThePlannedBlocksWhateverIsOpen) {
  const auto decision = may_stop(unit(30, {1.05}));
  EXPECT_TRUE(decision.stop);
  EXPECT_FALSE(decision.early);
  const auto beyond = may_stop(unit(31, {1.3}));
  EXPECT_TRUE(beyond.stop);
  EXPECT_EQ(beyond.comparisons[0].sequence, std::nullopt) << "the interval holds for the plan";
}

TEST(MayStop, IsNotDecidedByModelledEnergyOrByValuesWithoutSpread) {
  auto modelled = unit(14, {3.0});
  modelled.comparisons[0].modelled = true;
  EXPECT_FALSE(may_stop(modelled).stop);
  auto still = unit(14, {3.0});
  still.comparisons[0].first.assign(14, 5.0);
  EXPECT_FALSE(may_stop(still).stop);
  auto nothing = unit(14, {3.0});
  nothing.comparisons[0].first[3] = 0;
  EXPECT_FALSE(may_stop(nothing).stop);
  EXPECT_FALSE(may_stop(unit(14, {})).stop);
}

TEST(MayStop, RefusesMoreComparisonsThanTheStudyHas) {
  auto input = unit(14, {1.3, 1.3});
  input.rule.comparisons = 1;
  EXPECT_THROW(may_stop(input), Error);
}

TEST(StoppingSimulation, FindsADifferenceWhereNoneIsInFivePercent) {
  const auto shares = bench::stopping_shares(studies, {10, 30}, 0, 0, 11);
  EXPECT_NEAR(shares.differs, 0.05, tolerance);
  EXPECT_NEAR(shares.always_covered, 0.95, tolerance);
  EXPECT_GT(shares.naive_differs, 0.09) << "what plain tests at every look would do";
}

TEST(StoppingSimulation, ItsIntervalHoldsTheTruthWhereverItStopped) {
  for (const double effect : {0.5, 1.0}) {
    const auto shares = bench::stopping_shares(studies, {10, 30}, effect, 0, 12);
    EXPECT_GT(shares.covered, 0.95 - tolerance) << effect;
    EXPECT_NEAR(shares.always_covered, 0.95, tolerance) << effect;
    EXPECT_LT(shares.mean_n, 29) << effect;
  }
}

TEST(StoppingSimulation, SaysEquivalentAtTheMarginInAtMostHalfOfFivePercent) {
  EXPECT_LT(bench::stopping_shares(studies, {10, 30}, 1, 1, 13).equivalent, 0.025 + 0.014);
  EXPECT_GT(bench::stopping_shares(studies, {10, 30}, 0, 1, 14).equivalent, 0.9);
}

TEST(StoppingSimulation, KeepsTheErrorOfAWholeFamily) {
  EXPECT_NEAR(bench::family_error(studies / 2, 6, 2, 20, 15), 0.05, 0.028);
  EXPECT_LT(bench::family_error(studies / 2, 2, 3, 20, 16), 0.05 + 0.028);
}

}  // namespace
}  // namespace prengdl
