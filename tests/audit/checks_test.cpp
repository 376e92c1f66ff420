// SPDX-License-Identifier: Apache-2.0
//
// The tests behind `audit`. Values of Fisher's test are R's.
#include "audit/checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace prengdl {
namespace {

using Values = std::vector<double>;

/// How often the p of a test of n harmless values is below 0.05.
template <class Test>
double false_alarms(Test test, std::size_t n, bool skewed = false) {
  std::mt19937_64 random(7 + n);
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> delay;
  constexpr int samples = 2000;
  int alarms = 0;
  for (int i = 0; i < samples; ++i) {
    Values values(n);
    for (auto& value : values) value = skewed ? delay(random) : normal(random);
    alarms += test(values)->p < 0.05;
  }
  return alarms / static_cast<double>(samples);
}

TEST(AuditTests, FisherAgreesWithR) {
  // fisher.test(matrix(c(3, 1, 1, 3), 2))$p.value and so on
  EXPECT_NEAR(fisher_exact_p(3, 4, 1, 4), 0.4857142857142857, 1e-12);
  EXPECT_NEAR(fisher_exact_p(1, 10, 11, 14), 0.0027594561852200836, 1e-12);
  EXPECT_NEAR(fisher_exact_p(0, 20, 0, 30), 1, 1e-12);
  EXPECT_NEAR(fisher_exact_p(20, 20, 0, 20), 2 / 137846528820.0, 1e-19);  // 2 / C(40, 20)
}

TEST(AuditTests, AStepIsFoundWhereItIs) {
  const Values values{1.00, 1.02, 0.99, 1.01, 1.50, 1.52, 1.49, 1.51, 1.50, 1.48};
  const auto step = level_step(values);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->before, 4u);
  EXPECT_NEAR(step->step, 0.495, 1e-9);
  EXPECT_LT(step->p, 0.001);
  EXPECT_FALSE(level_step(Values{1, 2, 3})) << "too few";
  EXPECT_FALSE(level_step(Values(10, 3.0))) << "no spread";
}

TEST(AuditTests, AStepWithoutNoiseHasTheSmallestP) {
  const auto step = level_step(Values{1, 1, 1, 1, 1, 2, 2, 2, 2, 2});
  ASSERT_TRUE(step);
  EXPECT_NEAR(step->p, 1e-4, 2e-6);
}

TEST(AuditTests, TwoGroupsAreFoundInAnyOrder) {
  const auto groups = two_groups(Values{1.0, 2.0, 1.02, 2.03, 0.99, 1.98, 1.01, 2.01, 1.0, 2.0});
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->lower, 5u);
  EXPECT_LT(groups->p, 0.001);
}

TEST(AuditTests, OneFarValueIsNoGroup) {
  const auto groups = two_groups(Values{1.0, 1.03, 1.02, 1.05, 0.99, 0.96, 1.01, 1.04, 0.98, 9.0});
  ASSERT_TRUE(groups);
  EXPECT_GT(groups->p, 0.05);
}

TEST(AuditTests, TheFarthestValueIsJudgedByTheSizeOfTheSample) {
  // 4 MADs in ten values come by chance in one sample of ten; 30 do not.
  Values values{0.97, 0.98, 0.99, 0.995, 1, 1, 1.005, 1.01, 1.02, 1.03};
  values[9] = 1 + 4 * 1.4826 * 0.01;
  const auto near = farthest_value(values);
  ASSERT_TRUE(near);
  EXPECT_EQ(near->index, 9u);
  EXPECT_GT(near->p, 0.05);
  values[9] = 2;
  EXPECT_LT(farthest_value(values)->p, 0.001);
  EXPECT_FALSE(farthest_value(Values{1, 1, 1, 1, 5})) << "the MAD is 0";
}

TEST(AuditTests, TheFirstValueHasARankAndAP) {
  const auto first = first_value(Values{10, 1, 2, 3, 2.5, 1.5});
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(first->difference, 8);
  EXPECT_LT(first->p, 0.05);
  EXPECT_DOUBLE_EQ(first->rank, 6);
  EXPECT_DOUBLE_EQ(first_value(Values{2, 1, 2, 3, 4})->rank, 2.5) << "tied with the third";
  EXPECT_GT(first_value(Values{2, 1, 2, 3, 4})->p, 0.5);
  EXPECT_FALSE(first_value(Values{2, 1, 1, 1})) << "the others have no spread";
}

TEST(AuditTests, RanksOfFirstValuesAddUp) {
  // One sample of ten: (10 - 5.5) / sqrt(99 / 12) = 1.5667, so p = 0.11719.
  EXPECT_NEAR(first_ranks_p(Values{10}, std::vector<std::size_t>{10}), 0.117185, 1e-6);
  EXPECT_LT(first_ranks_p(Values(6, 10), std::vector<std::size_t>(6, 10)), 0.001);
  EXPECT_DOUBLE_EQ(first_ranks_p(Values{1, 10}, std::vector<std::size_t>{10, 10}), 1);
}

TEST(AuditTests, HarmlessValuesAreRarelyAccused) {
  for (const std::size_t n : {6, 10, 25}) {
    EXPECT_NEAR(false_alarms([](const Values& v) { return farthest_value(v); }, n), 0.05, 0.02)
        << n;
    for (const bool skewed : {false, true}) {
      EXPECT_LT(false_alarms([](const Values& v) { return level_step(v); }, n, skewed), 0.07) << n;
      EXPECT_LT(false_alarms([](const Values& v) { return two_groups(v); }, n, skewed), 0.07) << n;
      EXPECT_LT(false_alarms([](const Values& v) { return first_value(v); }, n, skewed), 0.07) << n;
    }
  }
  EXPECT_GT(false_alarms([](const Values& v) { return level_step(v); }, 10, true), 0.02);
}

/// How often a p of n harmless values is below 0.05.
template <class P>
double low_p(P p, std::size_t n, bool skewed = false) {
  struct WithP {
    double p;
  };
  return false_alarms([&](const Values& v) { return std::optional<WithP>(WithP{p(v).value()}); }, n,
                      skewed);
}

TEST(AuditTests, ShortUpperTailsAndModesOfHarmlessValuesAreRare) {
  const auto tail = [](const Values& v) { return short_upper_tail_p(v); };
  const auto modes = [](const Values& v) { return two_modes_p(v); };
  for (const std::size_t n : {6, 10, 25, 1500}) {
    EXPECT_NEAR(low_p(tail, n), 0.05, 0.02) << n;
    EXPECT_LT(low_p(tail, n, true), 0.05) << n << ": delays make upper tails longer";
    for (const bool skewed : {false, true}) EXPECT_LT(low_p(modes, n, skewed), 0.07) << n;
  }
}

TEST(AuditTests, ValuesThatAreCutOffHaveAShortUpperTail) {
  EXPECT_LT(*short_upper_tail_p(Values{1, 5, 8, 9, 9.5, 9.7, 9.8, 9.9, 9.95, 10}), 0.05);
  EXPECT_GT(*short_upper_tail_p(Values{-1, -5, -8, -9, -9.5, -9.7, -9.8, -9.9, -9.95, -10}), 0.9);
  EXPECT_FALSE(short_upper_tail_p(Values{1, 2, 3, 4})) << "too few";
}

TEST(AuditTests, TestsOfTheSameKindAddUp) {
  EXPECT_NEAR(combined_p(Values{0.05}), 0.05, 1e-9);
  EXPECT_NEAR(combined_p(Values{0.5, 0.5, 0.5}), 0.5, 1e-9);
  // (1.644854 * 4) / 2 = 3.289707
  EXPECT_NEAR(combined_p(Values(4, 0.05)), 0.000501, 1e-6);
}

TEST(AuditTests, HarmlessLongSeriesAreRarelyAccusedEither) {
  const std::size_t n = 1500;  // looked at in parts, or by the limit of the distribution
  EXPECT_NEAR(false_alarms([](const Values& v) { return farthest_value(v); }, n), 0.05, 0.02);
  for (const bool skewed : {false, true}) {
    EXPECT_LT(false_alarms([](const Values& v) { return level_step(v); }, n, skewed), 0.07);
    EXPECT_LT(false_alarms([](const Values& v) { return two_groups(v); }, n, skewed), 0.07);
    EXPECT_LT(false_alarms([](const Values& v) { return first_value(v); }, n, skewed), 0.07);
  }
}

TEST(AuditTests, WhatIsWrongWithALongSeriesIsFound) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  Values values(5000);
  for (auto& value : values) value = normal(random);
  auto stepped = values, grouped = values, far = values, first = values;
  for (std::size_t i = 3000; i < values.size(); ++i) stepped[i] += 0.5;
  for (std::size_t i = 0; i < values.size(); i += 2) grouped[i] += 20;
  far[1234] = 8;
  first[0] = 12;
  EXPECT_LT(level_step(stepped)->p, 0.001);
  EXPECT_NEAR(static_cast<double>(level_step(stepped)->before), 3000, 100);
  EXPECT_NEAR(level_step(stepped)->step, 0.5, 0.1);
  EXPECT_LT(two_groups(grouped)->p, 0.001);
  EXPECT_NEAR(static_cast<double>(two_groups(grouped)->lower), 2500, 250);
  EXPECT_EQ(farthest_value(far)->index, 1234u);
  EXPECT_LT(farthest_value(far)->p, 0.001);
  EXPECT_LT(first_value(first)->p, 0.001);
}

TEST(AuditTests, ManyAssociationsAreJudgedAsFewerAre) {
  Values before, values;
  std::vector<std::size_t> group;
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < 6000; ++i) {
    before.push_back(i % 2 ? 1.0 : -1.0);
    group.push_back(i / 100);
    values.push_back(0.08 * before.back() + normal(random));
  }
  const auto half = [](const auto& all) { return std::span(all).first(4000); };
  EXPECT_LT(association_p(values, before, group), 0.001);
  EXPECT_LT(association_p(half(values), half(before), half(group)), 0.01);
  for (auto& value : values) value = normal(random);
  EXPECT_GT(association_p(values, before, group), 0.01);
}

TEST(AuditTests, AnAssociationIsHeldAgainstShufflesWithinGroups) {
  Values before, together, apart;
  std::vector<std::size_t> group;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < 60; ++i) {
    before.push_back(i % 2 ? 1.0 : -1.0);
    group.push_back(i / 10);
    apart.push_back(normal(random));
    together.push_back(before.back() + normal(random));
  }
  EXPECT_LT(association_p(together, before, group), 0.001);
  EXPECT_GT(association_p(apart, before, group), 0.01);
}

}  // namespace
}  // namespace prengdl
