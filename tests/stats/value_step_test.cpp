// SPDX-License-Identifier: Apache-2.0
#include "stats/value_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stats/correction.h"
#include "stats/log_ratio.h"
#include "stats/rules_reference.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;

double rounded(double value, double step) { return std::round(value / step) * step; }

Values normal_values(std::size_t n, double centre, double sd, double step,
                     std::mt19937_64& random) {
  std::normal_distribution<double> normal(centre, sd);
  Values values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(rounded(normal(random), step));
  return values;
}

TEST(ValueStep, IsFoundInRoundedValues) {
  std::mt19937_64 random(1);
  for (const double step : {2.0, 0.5, 0.25, 1.0 / 3, 0.0153, 10.0, 1e-6})
    for (const double steps_per_sd : {0.5, 1.0, 5.0}) {
      const auto found =
          value_step(normal_values(20, 1000 * step, steps_per_sd * step, step, random));
      ASSERT_TRUE(found) << step << ", sd of " << steps_per_sd << " steps";
      EXPECT_NEAR(*found, step, 1e-6 * step);
    }
}

TEST(ValueStep, IsFoundWherePrintingRoundedItAgain) {
  std::mt19937_64 random(2);
  Values values = normal_values(20, 100, 1, 2.0 / 3, random);
  for (double& value : values) value = rounded(value, 0.001);
  EXPECT_NEAR(value_step(values).value(), 2.0 / 3, 0.001);
}

TEST(ValueStep, IsThePrecisionOfPrintedValues) {
  EXPECT_NEAR(value_step(Values{101.3, 99.8, 100.2, 103.9, 98.1}).value(), 0.1, 1e-12);
  EXPECT_NEAR(value_step(Values{1200, 1300, 1700, 1500}).value(), 100, 1e-9);
  EXPECT_DOUBLE_EQ(value_step(Values{17, 12, 16, 19}).value(), 1);
}

TEST(ValueStep, IsNoneWhereItMattersToNoTest) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(100, 1);
  for (int i = 0; i < 200; ++i) {
    Values values;
    for (int k = 0; k < 12; ++k) values.push_back(normal(random));
    EXPECT_FALSE(value_step(values));
  }
  EXPECT_FALSE(value_step(Values{100.0001, 101.2345, 102.7654, 99.1111}));
  EXPECT_FALSE(value_step(Values{5, 5, 5, 5}));
  EXPECT_FALSE(value_step(Values{5, 7}));
  EXPECT_FALSE(value_step(Values{}));
}

TEST(ValueStep, EntersTheStandardErrorAsAnIntegralSaysItMust) {
  const auto& reference = rules_reference();
  for (const std::string name : {"coarse", "middling", "fine"}) {
    const auto ratio = paired_log_ratio(reference.series.at(name + "_a"),
                                        reference.series.at(name + "_b"), {.step = 1})
                           .value();
    reference.expect("step " + name + " standard_error", ratio.standard_error, 7);
    reference.expect("step " + name + " p", ratio.p, 6);
  }
}

TEST(ValueStep, OfAFineMeterChangesNothing) {
  std::mt19937_64 random(4);
  const Values a = normal_values(10, 100, 3, 1, random);
  const Values b = normal_values(10, 101, 3, 1, random);
  EXPECT_NEAR(paired_log_ratio(a, b, {.step = 1})->p, paired_log_ratio(a, b)->p, 1e-6);
  EXPECT_NEAR(unpaired_log_ratio(a, b, {.step = 1})->p, unpaired_log_ratio(a, b)->p, 1e-6);
}

TEST(ValueStep, LeavesNoTestWithoutSpread) {
  const Values ones(4, 100);
  const Values twos(4, 101);
  EXPECT_FALSE(paired_log_ratio(ones, twos));
  EXPECT_FALSE(unpaired_log_ratio(ones, twos));
  const Values drifting{100, 200, 400};
  const Values doubled{200, 400, 800};
  EXPECT_FALSE(paired_log_ratio(doubled, drifting));
  const Values nearly{100, 100.2, 100.1, 100.3};
  EXPECT_TRUE(paired_log_ratio(nearly, twos));
  EXPECT_FALSE(paired_log_ratio(nearly, twos, {.step = 1}));
  EXPECT_FALSE(unpaired_log_ratio(nearly, twos, {.step = 1}));
}

TEST(ValueStep, OfAStandingMeterDoesNotMakeAFinding) {
  const Values standing(10, 100);
  const Values between{100, 101, 100, 101, 101, 101, 100, 101, 101, 100};
  EXPECT_LT(paired_log_ratio(between, standing)->p, 0.01);
  EXPECT_GT(paired_log_ratio(between, standing, {.step = 1})->p, 0.1);
}

/// The share of studies of six cases with any finding, where rounding alone makes levels differ.
double false_findings_by_rounding(std::size_t n, double sd_of_b, bool uses_step) {
  std::mt19937_64 random(5);
  const int studies = 600;
  int wrong = 0;
  for (int i = 0; i < studies; ++i) {
    Values p;
    for (int k = 0; k < 6; ++k) {
      const double centre = std::uniform_real_distribution<double>(100, 102)(random);
      const Values a = normal_values(n, centre, 1, 2, random);
      const Values b = normal_values(n, centre, sd_of_b, 2, random);
      Values all = a;
      all.insert(all.end(), b.begin(), b.end());
      const double step = uses_step ? value_step(all).value_or(0) : 0;
      if (const auto ratio = paired_log_ratio(a, b, {.step = step})) p.push_back(ratio->p);
    }
    const auto corrected = holm(p);
    wrong += std::ranges::any_of(corrected, [](double one) { return one < 0.05; }) ? 1 : 0;
  }
  return static_cast<double>(wrong) / studies;
}

TEST(ValueStep, KeepsTheErrorRateOfRoundedStudies) {
  for (const std::size_t n : {6, 10, 30}) EXPECT_LE(false_findings_by_rounding(n, 1, true), 0.06);
  EXPECT_GT(false_findings_by_rounding(30, 0.2, false), 0.5);
  EXPECT_LE(false_findings_by_rounding(30, 0.2, true), 0.06);
}

}  // namespace
}  // namespace prengdl
