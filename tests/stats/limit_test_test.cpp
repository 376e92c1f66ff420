// SPDX-License-Identifier: Apache-2.0
#include "stats/limit_test.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/simulated_studies.h"
#include "stats/log_ratio.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;

bench::Sample sample(std::size_t n, double ratio) {
  bench::Random random(1);
  return bench::sample(random, n, ratio, true);
}

TEST(LimitTest, HasTheIntervalOfTheTwoSidedComparison) {
  const auto [base, candidate] = sample(8, 1.1);
  const auto paired = paired_limit_test(candidate, base, 1.03, 0.05).value();
  const auto plain = paired_log_ratio(candidate, base).value();
  EXPECT_EQ(paired.ratio, plain.ratio);
  EXPECT_EQ(paired.ci95, plain.ci95);
  const auto unpaired = unpaired_limit_test(candidate, base, 1.03, 0.05).value();
  EXPECT_EQ(unpaired.ci95, unpaired_log_ratio(candidate, base)->ci95);
}

TEST(LimitTest, AgainstOneIsHalfOfTheTwoSidedTest) {
  const auto [base, candidate] = sample(8, 1.05);
  const auto paired = paired_limit_test(candidate, base, 1, 0.05).value();
  EXPECT_NEAR(2 * paired.p_above, paired_log_ratio(candidate, base)->p, 1e-12);
  EXPECT_NEAR(paired.p_above + paired.p_within, 1, 1e-12);
  const auto unpaired = unpaired_limit_test(candidate, base, 1, 0.05).value();
  EXPECT_NEAR(2 * std::min(unpaired.p_above, unpaired.p_within),
              unpaired_log_ratio(candidate, base)->p, 1e-12);
}

TEST(LimitTest, ItsBoundsTouchTheLimitWhereItsPIsAlpha) {
  const auto [base, candidate] = sample(8, 1.05);
  for (const auto& test : {paired_limit_test, unpaired_limit_test}) {
    const auto first = test(candidate, base, 1.03, 0.05).value();
    EXPECT_NEAR(test(candidate, base, first.at_least, 0.05)->p_above, 0.05, 1e-9);
    EXPECT_NEAR(test(candidate, base, first.at_most, 0.05)->p_within, 0.05, 1e-9);
    EXPECT_GT(first.at_least, first.ci95[0]);
    EXPECT_LT(first.at_most, first.ci95[1]);
  }
}

TEST(LimitTest, RefusesWhatItCannotTest) {
  for (const auto& test : {paired_limit_test, unpaired_limit_test}) {
    EXPECT_FALSE(test(Values{1}, Values{1}, 1.03, 0.05));
    EXPECT_FALSE(test(Values{}, Values{}, 1.03, 0.05));
    EXPECT_FALSE(test(Values{1, 0}, Values{1, 2}, 1.03, 0.05));
    EXPECT_FALSE(test(Values{1, -1}, Values{1, 2}, 1.03, 0.05));
    EXPECT_FALSE(test(Values{1, std::nan("")}, Values{1, 2}, 1.03, 0.05));
    EXPECT_FALSE(test(Values{1, INFINITY}, Values{1, 2}, 1.03, 0.05));
    EXPECT_FALSE(test(Values{2, 2, 2}, Values{1, 1, 1}, 1.03, 0.05)) << "no spread";
    EXPECT_FALSE(test(Values{1, 2}, Values{1, 3}, 0, 0.05));
    EXPECT_FALSE(test(Values{1, 2}, Values{1, 3}, 1.03, 0.6));
  }
  EXPECT_FALSE(paired_limit_test(Values{1.1, 2.2, 3.3}, Values{1, 2, 3}, 1.03, 0.05))
      << "no spread within the pairs but that of rounding";
}

TEST(RunsToDecide, HasThePowerThatItPromises) {
  // R: power.t.test(delta = 0.5, sd = 1, power = 0.8, type = "one.sample", alternative =
  // "one.sided") gives n = 26.14. A million degrees of freedom make the bound of the spread the
  // spread itself.
  LimitTest test;
  test.excess = 0.5;
  test.spread = 1;
  test.spread_freedom = 1e6;
  EXPECT_EQ(runs_to_decide(test, 0.05, 0.8, 1000), 27u);
  test.excess = -0.5;
  EXPECT_EQ(runs_to_decide(test, 0.05, 0.8, 1000), 27u);
  test.spread_freedom = 9;
  EXPECT_GT(runs_to_decide(test, 0.05, 0.8, 1000).value(), 35u) << "the spread may be larger";
  test.excess = 1e-3;
  EXPECT_EQ(runs_to_decide(test, 0.05, 0.8, 1000), std::nullopt);
  test.excess = 0;
  EXPECT_EQ(runs_to_decide(test, 0.05, 0.8, 1000), std::nullopt);
}

TEST(LogRatioSimulation, TheIntervalHoldsTheTruthInNinetyFivePercent) {
  for (const bool paired : {true, false})
    for (const std::size_t n : {5, 10, 30})
      // Four standard errors of the simulation.
      EXPECT_NEAR(bench::interval_coverage(2'000, n, paired, 40 + n), 0.95, 0.0195)
          << n << (paired ? " paired" : "");
}

TEST(LimitTest, TwoOccasionsAddTheirVariance) {
  const auto [base, candidate] = sample(8, 1.05);
  const auto one = unpaired_limit_test(candidate, base, 1.03, 0.05).value();
  EXPECT_EQ(occasions_limit_test(candidate, base, 1.03, 0.05, 0)->p_above, one.p_above);
  const auto two = occasions_limit_test(candidate, base, 1.03, 0.05, 0.02).value();
  EXPECT_EQ(two.ratio, one.ratio);
  EXPECT_EQ(two.spread, one.spread);
  EXPECT_LT(two.ci95[0], one.ci95[0]);
  EXPECT_GT(two.ci95[1], one.ci95[1]);
  EXPECT_GT(two.freedom, one.freedom);  // the spread between occasions counts as known
  EXPECT_FALSE(occasions_limit_test(candidate, base, 1.03, 0.05, -0.01));
  EXPECT_FALSE(occasions_limit_test(candidate, base, 1.03, 0.05, NAN));
  EXPECT_FALSE(occasions_limit_test(Values{2, 2, 2}, Values{1, 1, 1}, 1.03, 0.05, 0.02));
}

TEST(LimitTest, NoNumberOfRunsLowersTheSpreadBetweenOccasions) {
  LimitTest test;
  test.excess = 0.1;
  test.spread = 0.1;
  test.spread_freedom = 18;
  test.freedom_per_run = 2;
  const auto of_one = runs_to_decide(test, 0.05, 0.8, 1000).value();
  test.between = 0.02;
  const auto of_two = runs_to_decide(test, 0.05, 0.8, 1000).value();
  EXPECT_GT(of_two, of_one);
  // Without any spread of the runs 0.1 is (1.645 + 0.842) times a between of 0.0284.
  test.between = 0.0285;
  EXPECT_EQ(runs_to_decide(test, 0.05, 0.8, 1'000'000), std::nullopt);
}

}  // namespace
}  // namespace prengdl
