// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "stats/rank_reference.h"
#include "stats/summary.h"
#include "stats/trend.h"
#include "stats/trimmed.h"

namespace prengdl {
namespace {

using Expected = RankReference::Expected;

const Values& first(const Expected& one) { return rank_sample(one.samples.at(0)); }
const Values& second(const Expected& one) { return rank_sample(one.samples.at(1)); }

RankFigures figures_of(const TrimmedTest& test) {
  return {{"difference", test.difference},
          {"low", test.ci95[0]},
          {"high", test.ci95[1]},
          {"freedom", test.freedom},
          {"p", test.p}};
}

TEST(Yuen, AgreesWithScipyAndWithR) {
  expect_reference("yuen", 80, [](const Expected& one) {
    return figures_of(yuen(first(one), second(one), parse_number(one.argument).value()).value());
  });
}

TEST(Yuen, OfPairsAgreesWithR) {
  expect_reference("yuen_paired", 90, [](const Expected& one) {
    return figures_of(
        yuen_paired(first(one), second(one), parse_number(one.argument).value()).value());
  });
}

TEST(Yuen, DoesNotMindOneWildValue) {
  const Values a{1, 2, 3, 4, 5};
  const Values b{2, 3, 4, 5, 6};
  const Values wild{1, 2, 3, 4, 5000};
  EXPECT_EQ(yuen(wild, b)->difference, yuen(a, b)->difference);
  EXPECT_EQ(yuen(wild, b)->p, yuen(a, b)->p);
}

TEST(Yuen, WithoutAnySpreadIsExact) {
  EXPECT_EQ(yuen(Values{2, 2, 2}, Values{1, 1, 1})->p, 0);
  EXPECT_EQ(yuen(Values{2, 2, 2}, Values{2, 2, 2})->p, 1);
  EXPECT_EQ(yuen_paired(Values{3, 4, 5}, Values{1, 2, 3})->p, 0);
  EXPECT_EQ(yuen_paired(Values{3, 4, 5}, Values{1, 2, 3})->ci95[0], 2);
}

TEST(Yuen, RefusesWhatIsTooFew) {
  EXPECT_FALSE(yuen(Values{}, Values{1, 2}));
  EXPECT_FALSE(yuen(Values{1}, Values{1, 2}));
  EXPECT_FALSE(yuen(Values{1, 2, 3, 4, 5}, Values{1, 2, 3, 4, 5}, 0.4));
  EXPECT_FALSE(yuen(Values{1, 2}, Values{1, 2}, 0.5));
  EXPECT_FALSE(yuen(Values{1, 2}, Values{1, 2}, -0.1));
  EXPECT_FALSE(yuen_paired(Values{1, 2, 3}, Values{1, 2}));
  EXPECT_FALSE(yuen_paired(Values{1, 2, std::nan("")}, Values{1, 2, 3}));
}

TEST(TheilSen, AgreesWithScipy) {
  expect_reference("theil_sen", 36, [](const Expected& one) {
    const auto line = theil_sen(first(one), second(one)).value();
    return RankFigures{{"slope", line.slope},
                       {"intercept", line.intercept},
                       {"low", line.interval.value()[0]},
                       {"high", line.interval.value()[1]}};
  });
}

/// The median of the slopes of all pairs, one by one.
double median_slope(const Values& x, const Values& y) {
  Values slopes;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i + 1; j < x.size(); ++j)
      if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
  return median(slopes);
}

TEST(TheilSen, OfManyPointsIsTheMedianOfAllSlopesToo) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (const std::size_t n : {500, 501, 900})
    for (const bool has_ties : {false, true}) {
      Values x, y;
      for (std::size_t i = 0; i < n; ++i) {
        x.push_back(has_ties ? std::round(5 * normal(random)) : static_cast<double>(i));
        y.push_back(0.003 * x.back() + normal(random));
        if (has_ties) y.back() = std::round(4 * y.back()) / 4;
      }
      const auto line = theil_sen(x, y).value();
      const double all = median_slope(x, y);
      EXPECT_NEAR(line.slope, all, 1e-9 * std::abs(all)) << n << has_ties;
      ASSERT_TRUE(line.interval);
      EXPECT_LE((*line.interval)[0], line.slope);
      EXPECT_GE((*line.interval)[1], line.slope);
    }
}

TEST(TheilSen, TakesManyPoints) {
  // All slopes would be five thousand million.
  Values values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 0.5 * static_cast<double>(i) + (i % 7 == 3 ? 100 : 0);
  EXPECT_NEAR(theil_sen(values)->slope, 0.5, 1e-4);
  EXPECT_EQ(theil_sen(Values(5001, 1.0))->slope, 0);
}

TEST(TheilSen, OfASeriesIsPerStep) {
  const auto line = theil_sen(Values{1, 3, 5, 100, 9}).value();
  EXPECT_EQ(line.slope, 2);
  EXPECT_EQ(theil_sen(Values{1, 3})->interval, std::nullopt);
  EXPECT_FALSE(theil_sen(Values{1}));
  EXPECT_FALSE(theil_sen(Values{1, 1}, Values{1, 2}));
  EXPECT_FALSE(theil_sen(Values{1, 2}, Values{1}));
  EXPECT_FALSE(theil_sen(Values{1, std::nan("")}));
}

TEST(Pettitt, AgreesWithCountingAndWithR) {
  expect_reference("pettitt", 34, [](const Expected& one) {
    const auto change = pettitt(first(one)).value();
    EXPECT_EQ(change.test, "Pettitt, " + one.argument);
    return RankFigures{{"statistic", change.statistic},
                       {"before", static_cast<double>(change.before)},
                       {"p", change.p},
                       {"published_p", change.published_p}};
  });
}

TEST(Pettitt, FindsWhereTheLevelChanges) {
  const auto change = pettitt(Values{1, 2, 1.5, 1.7, 9, 8, 9.5, 8.8, 9.1}).value();
  EXPECT_EQ(change.before, 4U);
  EXPECT_LT(change.p, 0.05);
  EXPECT_EQ(pettitt(Values(9, 3.0))->p, 1);
  EXPECT_EQ(pettitt(Values(90, 3.0))->p, 1);
  EXPECT_EQ(pettitt(Values{1, 2})->p, 1);
  EXPECT_FALSE(pettitt(Values{1}));
  EXPECT_FALSE(pettitt(Values{1, std::nan("")}));
}

/// The true p of a statistic over random orders of n values.
double shuffled_p(std::size_t n, double statistic, int rounds) {
  std::mt19937_64 words(1979);
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i);
  int reached = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = n - 1; i > 0; --i) std::swap(values[i], values[words() % (i + 1)]);
    reached += pettitt(values)->statistic >= statistic ? 1 : 0;
  }
  return static_cast<double>(reached) / rounds;
}

TEST(Pettitt, ApproximatesOnTheSafeSide) {
  for (const std::size_t n : {30, 60}) {
    const auto size = static_cast<double>(n);
    // The K at which the approximation says 0.05.
    const double x = std::sqrt(std::log(2 / 0.05) / 2) - 0.5826 / std::sqrt(size);
    const double p = shuffled_p(n, x * std::sqrt(size * size * (size + 1) / 3), 4000);
    EXPECT_LE(p, 0.057) << n;
    EXPECT_GE(p, 0.027) << n;
  }
}

}  // namespace
}  // namespace prengdl
