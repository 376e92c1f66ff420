// SPDX-License-Identifier: Apache-2.0
#include "study/plan.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/error.h"
#include "bench/simulated_studies.h"
#include "print/study.h"
#include "stats/design_power.h"
#include "stats/equivalence.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

Study study_of(std::size_t levels, std::size_t models, std::size_t runs) {
  Study study;
  study.name = "mine";
  Factor framework{"framework", {}};
  Factor model{"model", {}};
  for (std::size_t i = 0; i < levels; ++i) framework.levels.push_back("f" + std::to_string(i));
  for (std::size_t i = 0; i < models; ++i) model.levels.push_back("m" + std::to_string(i));
  study.factors = {framework, model};
  study.analysis.compare = "framework";
  study.analysis.within = {"model"};
  study.runs = runs;
  study.protocol.warmup = 1;
  return study;
}

PlanInput with_spread(double sd, std::optional<double> freedom = std::nullopt) {
  PlanInput input;
  input.spread = KnownSpread{sd, freedom};
  return input;
}

TEST(DesignPower, TheSmallestRankPIsThatOfAllDifferencesOnOneSide) {
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t n = 1; n <= 20; ++n) {
    a.push_back(static_cast<double>(n) * 2);
    b.push_back(static_cast<double>(n));
    EXPECT_DOUBLE_EQ(smallest_signed_rank_p(n), signed_rank(a, b).value().p) << n;
  }
  EXPECT_EQ(smallest_signed_rank_p(0), 1);
  EXPECT_EQ(smallest_signed_rank_p(10), 1.0 / 512);
  EXPECT_GE(smallest_signed_rank_p(1'000'000), 0);
  EXPECT_NEAR(smallest_rank_sum_p(3, 5), 2.0 / 56, 1e-15);
  EXPECT_EQ(smallest_rank_sum_p(0, 5), 1);
}

TEST(DesignPower, TheFewestPairsReachTheP) {
  EXPECT_EQ(pairs_for_signed_rank(0.05), 6u);
  EXPECT_EQ(pairs_for_signed_rank(0.05 / 60), 12u);
  EXPECT_EQ(pairs_for_signed_rank(1.0 / 512), 10u);  // exactly
  EXPECT_EQ(pairs_for_signed_rank(1), 1u);
  EXPECT_THROW(pairs_for_signed_rank(0), Error);
}

// SciPy 1.17: stats.nct.sf(t, n - 1, d * sqrt(n)) + stats.nct.cdf(-t, n - 1, d * sqrt(n)) with
// t = stats.t.ppf(1 - alpha / 2, n - 1); agrees with integrate.quad over the chi distribution.
TEST(DesignPower, ThePowerOfThePairedTestIsSciPys) {
  struct Case {
    double difference;
    std::size_t pairs;
    double alpha;
    double power;
  };
  for (const auto& [difference, pairs, alpha, power] :
       std::vector<Case>{{1, 10, 0.05, 0.8030968566327219},
                         {0.5, 30, 0.01, 0.5025554971271559},
                         {1.5, 10, 0.05 / 60, 0.4981123120280482},
                         {0.2, 200, 0.05, 0.8036666605858471},
                         {3, 3, 0.05, 0.7452680070062837},
                         {100, 2, 0.05 / 60, 0.14686513956804215},
                         {700, 2, 0.05 / 60, 0.8049695537669969},
                         {10, 3, 0.001, 0.2598115776022831},
                         {0.1, 5000, 1e-6, 0.98503313049006},
                         {0, 10, 0.05, 0.05}}) {
    EXPECT_NEAR(paired_t_power(difference, pairs, alpha), power, 1e-8)
        << difference << " " << pairs << " " << alpha;
    EXPECT_NEAR(paired_t_power(-difference, pairs, alpha), power, 1e-8);
  }
  EXPECT_THROW(paired_t_power(1, 1, 0.05), Error);
  EXPECT_THROW(paired_t_power(1, 5, 0), Error);
}

// scipy.optimize.brentq over the above, at a power of 0.8.
TEST(DesignPower, TheDetectableDifferenceIsSciPys) {
  const std::tuple<std::size_t, double, double> cases[] = {
      {10, 0.05, 0.9960013714554439},       {10, 0.05 / 60, 1.9125713669750446},
      {30, 0.05, 0.5292356151130563},       {2, 0.05, 11.54988843588236},
      {2, 0.05 / 60, 692.281268374842},     {3, 0.001, 23.160613356279757},
      {1000, 0.05 / 6, 0.11023549665196217}};
  for (const auto& [pairs, alpha, difference] : cases)
    EXPECT_NEAR(detectable_difference(pairs, alpha, 0.8).value() / difference, 1, 1e-6)
        << pairs << " " << alpha;
  EXPECT_EQ(detectable_difference(1, 0.05, 0.8), std::nullopt);
}

TEST(DesignPower, ThePairsForADifferenceAreTheFewest) {
  EXPECT_EQ(pairs_for_difference(1, 0.05, 0.8), 10u);
  EXPECT_EQ(pairs_for_difference(0.5, 0.05 / 60, 0.8), 76u);
  EXPECT_EQ(pairs_for_difference(0.1, 0.05, 0.8), 787u);
  EXPECT_EQ(pairs_for_difference(0.05, 0.05, 0.8), 3142u);
  EXPECT_EQ(pairs_for_difference(100, 0.05, 0.8), 2u);
  EXPECT_EQ(pairs_for_difference(0.001, 0.05, 0.8), std::nullopt);
  EXPECT_EQ(pairs_for_difference(0, 0.05, 0.8), std::nullopt);
}

TEST(DesignPower, PowerGrowsWithTheDifferenceWhereverItIsComputed) {
  EXPECT_TRUE(rc::check([] {
    const auto pairs = *rc::gen::inRange<std::size_t>(2, 60);
    const double alpha = 0.05 / *rc::gen::inRange(1, 400);
    double last = 0;
    for (double difference = 0; difference < 60; difference = difference * 1.2 + 0.01) {
      const double power = paired_t_power(difference, pairs, alpha);
      RC_ASSERT(power >= last - 1e-9 && power <= 1);
      last = power;
    }
  }));
}

// tests/data/make_equivalence_power.py.
TEST(DesignPower, ThePowerOfEquivalenceIsThatOfAnIndependentIntegration) {
  struct Case {
    double difference;
    double margin;
    std::size_t pairs;
    double alpha;
    double power;
  };
  for (const auto& [difference, margin, pairs, alpha, power] :
       std::vector<Case>{{0, 1, 10, 0.05, 0.7952072667058975},
                         {0.2, 1, 10, 0.05, 0.7220428368255729},
                         {0.5, 1, 30, 0.05, 0.848254190832553},
                         {0, 2.5, 5, 0.05 / 6, 0.7716375283179197},
                         {0.25, 0.5, 100, 0.05 / 60, 0.24006517903470714},
                         {0, 0.1, 1000, 0.05, 0.8702989416499617},
                         {0, 1, 4, 0.05, 0.19681589697224353},
                         {0, 20, 3, 0.05 / 60, 0.8522135567791701},
                         {1, 1, 20, 0.05, 0.05},
                         {0, 3, 2, 0.05, 0.4130295804424557}}) {
    EXPECT_NEAR(equivalence_power(difference, margin, pairs, alpha), power, 1e-7)
        << difference << " " << margin << " " << pairs;
    EXPECT_NEAR(equivalence_power(-difference, margin, pairs, alpha), power, 1e-7);
  }
  EXPECT_THROW(equivalence_power(0, 1, 1, 0.05), Error);
  EXPECT_THROW(equivalence_power(0, 1, 10, 0.5), Error);
  EXPECT_THROW(equivalence_power(0, 0, 10, 0.05), Error);
}

TEST(DesignPower, ThePairsForEquivalenceAreTheFewest) {
  EXPECT_EQ(pairs_for_equivalence(0, 1, 0.05, 0.8), 11u);
  EXPECT_EQ(pairs_for_equivalence(0.2, 1, 0.05, 0.8), 12u);
  EXPECT_EQ(pairs_for_equivalence(0, 2.5, 0.05 / 6, 0.8), 6u);
  EXPECT_EQ(pairs_for_equivalence(-0.25, 0.5, 0.05 / 60, 0.8), 260u);
  EXPECT_EQ(pairs_for_equivalence(0, 4, 0.05, 0.8), 3u);
  EXPECT_EQ(pairs_for_equivalence(1, 1, 0.05, 0.8), std::nullopt);
  EXPECT_EQ(pairs_for_equivalence(0, 0.001, 0.05, 0.8), std::nullopt);
}

TEST(DesignPower, AStandardDeviationHasAnUpperLimit) {
  // With two degrees of freedom chi-squared is exponential: its quantile is -2 log(1 - p).
  EXPECT_NEAR(upper_limit_of_sd(1, 2, 0.8), std::sqrt(2 / (-2 * std::log(0.8))), 1e-12);
  EXPECT_NEAR(upper_limit_of_sd(0.02, 9, 0.8), 0.02 * std::sqrt(9 / 5.380), 1e-6);
  EXPECT_THROW(upper_limit_of_sd(1, 0, 0.8), Error);
  EXPECT_THROW(upper_limit_of_sd(1, 9, 1), Error);
}

// stats.t.ppf(1 - alpha / 2, n - 1) * c4 / sqrt(n).
TEST(DesignPower, TheExpectedHalfWidthCountsTheSmallSample) {
  EXPECT_NEAR(expected_half_width(2, 0.05).value(), 7.168708358574926, 1e-9);
  EXPECT_NEAR(expected_half_width(10, 0.05).value(), 0.6957985288992911, 1e-9);
  EXPECT_NEAR(expected_half_width(30, 0.01).value(), 0.49892609119256387, 1e-9);
  EXPECT_EQ(expected_half_width(1, 0.05), std::nullopt);
}

TEST(DesignPower, SamplesShareOneSpread) {
  const std::vector<std::vector<double>> samples{{1, 2, 3}, {10, 14}, {5}, {}};
  EXPECT_NEAR(pooled_standard_deviation(samples).value(), std::sqrt((2.0 + 8.0) / 3), 1e-12);
  EXPECT_EQ(pooled_standard_deviation(std::vector<std::vector<double>>{{1}, {}}), std::nullopt);
}

TEST(Plan, TenPairsAndSixtyTestsCanNeverBeSignificantByRanks) {
  auto study = study_of(2, 60, 10);
  study.analysis.test = "rank";
  study.analysis.secondary = {"seconds"};
  const Plan plan = make_plan(study);
  ASSERT_EQ(plan.families.size(), 2u);
  const auto& family = plan.families[0];
  EXPECT_EQ(family.measure, "metered");
  EXPECT_TRUE(family.is_primary);
  EXPECT_EQ(family.comparisons, 60u);
  EXPECT_EQ(family.n, 10u);
  EXPECT_DOUBLE_EQ(family.needed_p, 0.05 / 60);
  EXPECT_DOUBLE_EQ(family.rank_smallest_p, 1.0 / 512);
  EXPECT_EQ(family.needed_n, 12u);
  EXPECT_FALSE(family.can_show);
  EXPECT_FALSE(plan.can_show);
  EXPECT_EQ(plan.why_not,
            "with 10 pairs the signed-rank test cannot give a p below 0.00195, and 60 comparisons "
            "need 0.000833 or less (alpha 0.05, Holm): 12 runs can");
  EXPECT_EQ(plan.families[1].measure, "seconds");
  EXPECT_FALSE(plan.families[1].is_primary);

  study.runs = 12;
  EXPECT_TRUE(make_plan(study).can_show);
  EXPECT_EQ(make_plan(study).why_not, "");
}

TEST(Plan, TheTestOnLogsNeedsThreePairs) {
  auto study = study_of(2, 60, 10);
  const Plan plan = make_plan(study);
  EXPECT_TRUE(plan.can_show);
  EXPECT_EQ(plan.families[0].needed_n, 3u);
  EXPECT_FALSE(plan.has_too_few_runs);
  EXPECT_EQ(plan.families[0].rank_needed_n, 12u);  // told all the same: it stands beside
  EXPECT_EQ(plan.families[0].detectable_ratio, std::nullopt);  // the spread is not known

  study.runs = 2;
  EXPECT_FALSE(make_plan(study).can_show);
  EXPECT_TRUE(make_plan(study).has_too_few_runs);
  EXPECT_NE(make_plan(study).why_not.find("two runs of each cell"), std::string::npos);
  study.runs = 1;
  EXPECT_FALSE(make_plan(study).can_show);
  EXPECT_NE(make_plan(study).why_not.find("three runs can"), std::string::npos);
  EXPECT_EQ(make_plan(study, with_spread(0.1)).families[0].detectable_ratio, std::nullopt);
}

TEST(Plan, AllPairsOfTheComparedLevelsAreCounted) {
  EXPECT_EQ(make_plan(study_of(4, 5, 3)).families[0].comparisons, 30u);
  auto study = study_of(3, 2, 3);
  study.exclusions = {{{"framework", "f2"}, {"model", "m1"}}};
  EXPECT_EQ(make_plan(study).families[0].comparisons, 4u);
}

TEST(Plan, ASpreadTellsTheRatioThatCanBeDetected) {
  auto study = study_of(2, 1, 10);
  study.analysis.secondary = {"seconds"};
  PlanInput input = with_spread(0.05);
  input.spreads = {{"seconds", {0.01, std::nullopt}}};
  const Plan plan = make_plan(study, input);
  EXPECT_NEAR(plan.families[0].detectable_ratio.value(), std::exp(0.05 * 0.9960013714554439), 1e-6);
  EXPECT_NEAR(plan.families[1].detectable_ratio.value(), std::exp(0.01 * 0.9960013714554439), 1e-6);
  EXPECT_NEAR(plan.families[0].interval_factor.value(), std::exp(0.05 * 0.6957985288992911), 1e-6);
  // With so many runs the margin of 5 % would be detected.
  const auto enough = plan.families[0].margin_n.n.value();
  study.runs = enough;
  EXPECT_LE(make_plan(study, input).families[0].detectable_ratio.value(), 1.05);
  study.runs = enough - 1;
  EXPECT_GT(make_plan(study, input).families[0].detectable_ratio.value(), 1.05);

  input.spread = KnownSpread{};
  EXPECT_EQ(make_plan(study, input).families[0].detectable_ratio, 1.0);
  EXPECT_EQ(make_plan(study, input).families[0].equivalent_n.n, 3u);
}

TEST(Plan, EquivalenceTakesTheRunsOfTwoOneSidedTestsWithHolm) {
  // One comparison: the margin of 5 % is one spread, so the reference figures of the power hold.
  const double sd = std::log(1.05);
  auto input = with_spread(sd);
  EXPECT_EQ(make_plan(study_of(2, 1, 10), input).families[0].equivalent_n.n, 11u);
  input.true_ratio = std::exp(0.2 * sd);
  EXPECT_EQ(make_plan(study_of(2, 1, 10), input).families[0].equivalent_n.n, 12u);
  input.true_ratio = std::exp(-0.2 * sd);
  EXPECT_EQ(make_plan(study_of(2, 1, 10), input).families[0].equivalent_n.n, 12u);
  EXPECT_EQ(make_plan(study_of(2, 1, 10), input).true_ratio, input.true_ratio);
  // Six comparisons at alpha / 6.
  EXPECT_EQ(make_plan(study_of(2, 6, 10), with_spread(sd / 2.5)).families[0].equivalent_n.n, 6u);
  input.true_ratio = 1.05;
  EXPECT_EQ(make_plan(study_of(2, 1, 10), input).families[0].equivalent_n.n, std::nullopt);
  auto strict = study_of(2, 1, 10);
  strict.analysis.margin = 0;
  EXPECT_EQ(make_plan(strict, with_spread(sd)).families[0].equivalent_n.n, std::nullopt);
}

TEST(Plan, AnEstimatedSpreadIsPlannedWithAtItsUpperLimit) {
  const auto study = study_of(2, 1, 10);
  const auto stated = make_plan(study, with_spread(0.05)).families[0];
  EXPECT_EQ(stated.planned_spread, 0.05);
  EXPECT_EQ(stated.equivalent_n.n, stated.equivalent_n.at_estimate);
  const auto learnt = make_plan(study, with_spread(0.05, 9)).families[0];
  EXPECT_EQ(learnt.spread, 0.05);
  EXPECT_DOUBLE_EQ(learnt.planned_spread.value(), upper_limit_of_sd(0.05, 9, 0.8));
  EXPECT_EQ(learnt.equivalent_n.at_estimate, stated.equivalent_n.n);
  EXPECT_EQ(learnt.margin_n.at_estimate, stated.margin_n.n);
  const auto cautious = make_plan(study, with_spread(*learnt.planned_spread)).families[0];
  EXPECT_EQ(learnt.equivalent_n.n, cautious.equivalent_n.n);
  EXPECT_EQ(learnt.margin_n.n, cautious.margin_n.n);
  EXPECT_EQ(learnt.detectable_ratio, cautious.detectable_ratio);
  EXPECT_GT(learnt.equivalent_n.n.value(), stated.equivalent_n.n.value());

  const auto text = plan_text(make_plan(study, with_spread(0.05, 9)), false, true);
  EXPECT_NE(text.find("showing \"equivalent\" within 5 % takes"), std::string::npos) << text;
  EXPECT_NE(text.find("upper 80 %"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(plan_json(make_plan(study, with_spread(0.05, 9))));
  EXPECT_EQ(json.at("true_ratio"), 1);
  EXPECT_EQ(json.at("families").at(0).at("equivalent_n"), *learnt.equivalent_n.n);
  EXPECT_EQ(json.at("families").at(0).at("equivalent_n_at_estimate"),
            *learnt.equivalent_n.at_estimate);
  EXPECT_EQ(json.at("families").at(0).at("planned_spread"), *learnt.planned_spread);
}

/// Pilots of ten pairs, and the main study that each of them plans. The upper limit of the spread
/// is too small in one pilot of five, so the power is wanted in the other four.
TEST(PlanSimulation, APlannedStudyShowsEquivalence) {
  constexpr double spread = 0.05;
  constexpr std::size_t pilots = 400;
  bench::Random random(7);
  const auto study = study_of(2, 1, 10);
  std::size_t shown = 0;
  std::size_t shown_by_estimate = 0;
  const auto is_shown = [&](std::size_t pairs) {
    std::vector<double> a, b;
    for (std::size_t i = 0; i < pairs; ++i) {
      a.push_back(std::exp(spread * random.normal()));
      b.push_back(1);
    }
    return paired_equivalence(a, b, study.analysis.margin).value().equivalent;
  };
  for (std::size_t i = 0; i < pilots; ++i) {
    std::vector<double> differences;
    for (std::size_t j = 0; j < 10; ++j) differences.push_back(spread * random.normal());
    const auto family =
        make_plan(study, with_spread(standard_deviation(differences), 9)).families[0];
    shown += is_shown(*family.equivalent_n.n);
    shown_by_estimate += is_shown(*family.equivalent_n.at_estimate);
  }
  EXPECT_GT(shown, pilots * 80 / 100);
  EXPECT_LT(shown_by_estimate, shown);
  // With the true spread the power is the one that was asked for.
  const auto pairs = *make_plan(study, with_spread(spread)).families[0].equivalent_n.n;
  std::size_t with_true_spread = 0;
  for (std::size_t i = 0; i < 2000; ++i) with_true_spread += is_shown(pairs);
  EXPECT_NEAR(static_cast<double>(with_true_spread) / 2000,
              equivalence_power(0, std::log(1.05) / spread, pairs, 0.05), 0.036);
}

TEST(Plan, WithoutAKnownSpreadTheRatioIsThatOfUsualOnes) {
  const Plan plan = make_plan(study_of(2, 1, 10));
  const auto& assumed = plan.families[0].assumed;
  ASSERT_EQ(assumed.size(), 2u);
  EXPECT_EQ(assumed[0].spread, 0.01);
  EXPECT_NEAR(assumed[0].ratio.value(), std::exp(0.01 * 0.9960013714554439), 1e-6);
  EXPECT_EQ(assumed[1].spread, 0.05);
  EXPECT_NEAR(assumed[1].ratio.value(), std::exp(0.05 * 0.9960013714554439), 1e-6);
  EXPECT_EQ(assumed[0].equivalent_n, 3u);
  EXPECT_GT(assumed[1].equivalent_n.value(), 3u);
  EXPECT_TRUE(make_plan(study_of(2, 1, 10), with_spread(0.02)).families[0].assumed.empty());
}

TEST(Plan, SomeRunsTakeTheirShareOfTheTime) {
  auto study = study_of(2, 2, 3);
  study.protocol.idle = Seconds{5};
  study.protocol.settle_at_most = Seconds{60};
  PlanInput input;
  EXPECT_EQ(expected_time(study, input, Design(study).all_runs()), std::nullopt);
  input.costs = {{Seconds{1}, {}}, {Seconds{2}, {}}, {Seconds{3}, {}}, {}};
  input.settling = Seconds{4};
  // Two runs and one warm-up of the first cell, in two blocks.
  EXPECT_DOUBLE_EQ(expected_time(study, input, {{0, 0, 0, 1}, {4, 1, 0, 1}}).value().count(),
                   3 * 1 + 2 * 4 + 2 * 5);
  // A cell that never ran takes as long as the others on average.
  EXPECT_DOUBLE_EQ(expected_time(study, input, {{0, 0, 3, 1}}).value().count(), 2 * 2 + 4 + 5);
  EXPECT_DOUBLE_EQ(expected_time(study, input, Design(study).all_runs()).value().count() / 3600,
                   make_plan(study, input).hours.value());
}

TEST(Plan, AStudyThatComparesNothingHasNothingToRefuse) {
  auto study = study_of(1, 1, 1);
  study.analysis.compare = "";
  EXPECT_TRUE(make_plan(study).can_show);
  EXPECT_TRUE(make_plan(study).families.empty());
  EXPECT_TRUE(make_plan(study).has_too_few_runs);
  EXPECT_FALSE(make_plan(study).notes.empty());
  study.analysis.compare = "framework";
  EXPECT_FALSE(make_plan(study).can_show);
  EXPECT_EQ(make_plan(study).why_not,
            "no two cells differ only in 'framework': there is nothing to compare");
}

TEST(Plan, TellsWhatRunsWhen) {
  auto study = study_of(2, 3, 4);
  study.preset = "tiny";
  const Plan plan = make_plan(study);
  EXPECT_EQ(plan.study, "mine");
  EXPECT_EQ(plan.preset, "tiny");
  EXPECT_EQ(plan.factors, (std::vector<std::string>{"framework", "model"}));
  EXPECT_EQ(plan.cells, cells_of(study));
  EXPECT_EQ(plan.cases.size(), 3u);
  EXPECT_EQ(plan.blocks, 4u);
  EXPECT_EQ(plan.runs, 24u);
  EXPECT_EQ(plan.warmups, 6u);
  ASSERT_EQ(plan.order.size(), 24u);
  EXPECT_EQ(plan.order[7].place, 7u);
  EXPECT_EQ(plan.order[7].block, 1u);
}

TEST(Plan, HoursJoulesAndDiskComeFromWhatRunsTake) {
  auto study = study_of(2, 1, 9);  // two cells, nine blocks and a warm-up
  study.protocol.idle = Seconds{10};
  study.protocol.settle_at_most = Seconds{600};
  EXPECT_EQ(make_plan(study).hours, std::nullopt);
  EXPECT_EQ(make_plan(study).joules, std::nullopt);
  EXPECT_EQ(make_plan(study).disk_bytes, std::nullopt);

  PlanInput input;
  input.costs = {{Seconds{100}, Joules{50}}, {std::nullopt, Joules{150}}};
  input.settling = Seconds{20};
  input.series = 10;
  const Plan plan = make_plan(study, input);
  // The second cell is taken to last as long as the first.
  EXPECT_NEAR(plan.hours.value() * 3600, 2 * 100 * 10 + 9 * 10 + 18 * 20, 1e-6);
  EXPECT_NEAR(plan.hours_at_most.value() * 3600, 2 * 100 * 10 + 9 * 10 + 18 * 600, 1e-6);
  EXPECT_NEAR(plan.joules.value(), 200 * 10, 1e-9);
  EXPECT_NEAR(static_cast<double>(plan.disk_bytes.value()),
              2 * 100 * 10 * 100.0 * 10 * 2 + 20 * 32768, 1);

  study.protocol.start = Start::warm;  // no waiting
  EXPECT_NEAR(make_plan(study, input).hours.value() * 3600, 2 * 100 * 10 + 9 * 10, 1e-6);
}

TEST(Plan, ABudgetThatWillNotDoIsTold) {
  auto study = study_of(2, 1, 9);
  study.protocol.budget_time = Seconds{1000};
  study.protocol.budget_energy = Joules{1500};
  PlanInput input;
  input.costs = {{Seconds{100}, Joules{100}}, {Seconds{100}, Joules{100}}};
  const auto notes = make_plan(study, input).notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0],
            "the budget of 16 min 40 s will end the study before its 33 min 20 s are over");
  EXPECT_EQ(notes[1], "the budget of 1.500 kJ will end the study before its 2.000 kJ are used");
  study.protocol.budget_time = Seconds{1e6};
  study.protocol.budget_energy = std::nullopt;
  EXPECT_TRUE(make_plan(study, input).notes.empty());
}

}  // namespace
}  // namespace prengdl
