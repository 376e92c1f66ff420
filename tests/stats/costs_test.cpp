// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stats/estimated_mean.h"
#include "stats/line_fit.h"
#include "stats/log_ratio.h"

namespace prengdl {
namespace {

TEST(FiellerSet, ASumOfEstimatesHasSatterthwaitesFreedom) {
  const auto a = scattered_mean(std::vector<double>{1, 2, 3}).value();  // variance 1 / 3
  EXPECT_DOUBLE_EQ(a.value, 2);
  EXPECT_NEAR(a.variance, 1.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(a.freedom, 2);
  const Scattered b{10, 1.0 / 6, 4};
  const auto sum = sum_of(a, b, -2);
  EXPECT_DOUBLE_EQ(sum.value, -18);
  EXPECT_NEAR(sum.variance, 1.0, 1e-15);  // 1/3 + 4/6
  EXPECT_NEAR(sum.freedom, 1 / (1.0 / 9 / 2 + 4.0 / 9 / 4), 1e-12);
  EXPECT_FALSE(scattered_mean(std::vector<double>{1}));
}

TEST(FiellerSet, IsAStretchWhereTheDenominatorIsTold) {
  // 100 and 2, variances 25 and 0.01, so many degrees of freedom that t is 1.959964:
  // a = 4 - 0.0384146, b = 200, c = 10000 - 96.0365 and the roots (b -+ sqrt(b^2 - a c)) / a.
  const auto set = fieller_set({100, 25, 1e9}, {2, 0.01, 1e9});
  ASSERT_EQ(set.size(), 1u);
  const double z2 = 1.959963984540054 * 1.959963984540054;
  const double a = 4 - z2 * 0.01;
  const double c = 1e4 - z2 * 25;
  EXPECT_NEAR(set[0].from, (200 - std::sqrt(4e4 - a * c)) / a, 1e-6);
  EXPECT_NEAR(set[0].to.value(), (200 + std::sqrt(4e4 - a * c)) / a, 1e-6);
  EXPECT_LT(set[0].from, 50);
  EXPECT_GT(*set[0].to, 50);
}

TEST(FiellerSet, BeginsAtNothingWhereTheNumeratorMayBeNone) {
  const auto set = fieller_set({1, 25, 1e9}, {2, 0.01, 1e9});
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(set[0].from, 0);
  EXPECT_GT(set[0].to.value(), 0.5);
}

TEST(FiellerSet, HasNoEndWhereTheDenominatorMayBeNone) {
  const auto set = fieller_set({100, 25, 1e9}, {1, 1, 1e9});
  ASSERT_EQ(set.size(), 1u);
  EXPECT_FALSE(set[0].to);
  EXPECT_GT(set[0].from, 20);
  EXPECT_LT(set[0].from, 100);
}

TEST(FiellerSet, HoldsEverythingWhereBothMayBeNone) {
  const auto set = fieller_set({1, 25, 1e9}, {1, 1, 1e9});
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(set[0].from, 0);
  EXPECT_FALSE(set[0].to);
}

TEST(FiellerSet, IsEmptyWhereNoRatioFromNothingOnWillDo) {
  EXPECT_TRUE(fieller_set({100, 25, 1e9}, {-2, 0.01, 1e9}).empty());
  EXPECT_TRUE(fieller_set({100, 0, 5}, {0, 0, 5}).empty());
}

TEST(FiellerSet, WithoutAnySpreadIsThePointItself) {
  const auto set = fieller_set({100, 0, 5}, {4, 0, 5});
  ASSERT_EQ(set.size(), 1u);
  EXPECT_DOUBLE_EQ(set[0].from, 25);
  EXPECT_DOUBLE_EQ(set[0].to.value(), 25);
}

TEST(FiellerSet, HoldsTheTrueRatioAsOftenAsItSays) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  constexpr int studies = 4000;
  int held = 0;
  for (int i = 0; i < studies; ++i) {
    std::vector<double> numerator(10);
    std::vector<double> denominator(8);
    for (double& value : numerator) value = 50 + 20 * normal(random);
    for (double& value : denominator) value = 2 + 1 * normal(random);
    for (const auto& one :
         fieller_set(scattered_mean(numerator).value(), scattered_mean(denominator).value()))
      held += one.from <= 25 && (!one.to || 25 <= *one.to);
  }
  EXPECT_NEAR(static_cast<double>(held) / studies, 0.95, 0.014);  // four standard errors
}

TEST(LineFit, EqualsLeastSquaresByHand) {
  // x - mean: -1.5 -0.5 0.5 1.5; y - mean: -2.25 -0.25 -0.25 2.75; xx = 5, xy = 7.5, yy = 12.75.
  const auto fit =
      fit_line(std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 3, 3, 6}).value();
  EXPECT_EQ(fit.n, 4u);
  EXPECT_NEAR(fit.slope, 1.5, 1e-12);
  EXPECT_NEAR(fit.intercept, -0.5, 1e-12);
  EXPECT_NEAR(fit.pearson.value(), 7.5 / std::sqrt(5 * 12.75), 1e-12);
  // Residuals 0 0.5 -1 0.5: 1.5 over 2 degrees, over xx.
  const double half = student_factor(0.95, 2) * std::sqrt(1.5 / 2 / 5);
  EXPECT_NEAR((*fit.slope_ci95)[0], 1.5 - half, 1e-12);
  EXPECT_NEAR((*fit.slope_ci95)[1], 1.5 + half, 1e-12);
}

TEST(LineFit, SaysWhatItCannotFit) {
  EXPECT_FALSE(fit_line(std::vector<double>{1}, std::vector<double>{1}));
  EXPECT_FALSE(fit_line(std::vector<double>{2, 2, 2}, std::vector<double>{1, 2, 3}));
  EXPECT_FALSE(fit_line(std::vector<double>{1, 2}, std::vector<double>{1, 2, 3}));
  EXPECT_FALSE(fit_line(std::vector<double>{1, NAN}, std::vector<double>{1, 2}));
  const auto two = fit_line(std::vector<double>{1, 2}, std::vector<double>{5, 5}).value();
  EXPECT_EQ(two.slope, 0);
  EXPECT_FALSE(two.slope_ci95);
  EXPECT_FALSE(two.pearson);
}

}  // namespace
}  // namespace prengdl
