// SPDX-License-Identifier: Apache-2.0
#include "stats/dependence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stats/log_ratio.h"
#include "stats/rules_reference.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;
using Family = std::vector<Values>;

Values autoregressive(std::size_t n, double correlation, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Values values{normal(random)};
  while (values.size() < n)
    values.push_back(correlation * values.back() +
                     std::sqrt(1 - correlation * correlation) * normal(random));
  return values;
}

Family family(std::size_t cases, std::size_t n, double correlation, std::mt19937_64& random) {
  Family result;
  for (std::size_t i = 0; i < cases; ++i) result.push_back(autoregressive(n, correlation, random));
  return result;
}

/// The share of null studies of six cases with any p below 0.05 / 6.
double false_findings(std::size_t n, double correlation, bool corrected) {
  std::mt19937_64 random(1);
  const int studies = 1200;
  int wrong = 0;
  for (int i = 0; i < studies; ++i) {
    const Family differences = family(6, n, correlation, random);
    const Dependence found = dependence(differences);
    bool any = false;
    for (std::size_t k = 0; k < differences.size(); ++k) {
      Values a;
      for (const double log : differences[k]) a.push_back(std::exp(log));
      SampleFacts facts;
      if (corrected) facts.correlation = found.of_series[k];
      any = any || paired_log_ratio(a, Values(n, 1), facts)->p < 0.05 / 6;
    }
    wrong += any ? 1 : 0;
  }
  return static_cast<double>(wrong) / studies;
}

TEST(Dependence, AgreesWithNumpy) {
  const auto& series = rules_reference().series;
  const Family all{series.at("dependent0"), series.at("dependent1"), series.at("dependent2")};
  rules_reference().expect("dependence dependent pooled", dependence(all).pooled);
}

TEST(Dependence, OfIndependentSeriesIsShownInOneOfTenFamilies) {
  std::mt19937_64 random(2);
  int shown = 0;
  for (int i = 0; i < 2000; ++i) shown += dependence(family(6, 10, 0, random)).shown ? 1 : 0;
  EXPECT_NEAR(shown / 2000.0, 0.1, 0.025);
}

TEST(Dependence, IsEstimatedWithoutMuchBias) {
  std::mt19937_64 random(3);
  double sum = 0;
  for (int i = 0; i < 500; ++i) sum += dependence(family(6, 15, 0.5, random)).pooled;
  EXPECT_NEAR(sum / 500, 0.5, 0.03);
}

TEST(Dependence, OfOneCaseIsNotHiddenByTheOthers) {
  std::mt19937_64 random(4);
  Family all = family(5, 30, 0, random);
  all.push_back(autoregressive(30, 0.9, random));
  const auto found = dependence(all).of_series;
  EXPECT_GT(found[5], 0.5);
  EXPECT_GT(found[5], found[0]);
}

TEST(Dependence, IsNoneWhereValuesAreTooFewOrEqual) {
  const Family few{{1, 2, 3, 4, 5}, Values(20, 1.5), {}};
  const auto found = dependence(few);
  EXPECT_EQ(found.pooled, 0);
  EXPECT_FALSE(found.shown);
  EXPECT_EQ(found.of_series, Values(3, 0));
  EXPECT_TRUE(dependence({}).of_series.empty());
}

TEST(Dependence, KeepsTheErrorRateOfStudiesWhosePairsDependOnEachOther) {
  EXPECT_GT(false_findings(30, 0.5, false), 0.4);
  EXPECT_LT(false_findings(30, 0.5, true), 0.08);
  EXPECT_LT(false_findings(10, 0.5, true), 0.1);
  EXPECT_LT(false_findings(10, 0, true), 0.06);
}

TEST(EffectiveN, IsThatOfAnAutoregressiveSeries) {
  EXPECT_DOUBLE_EQ(effective_n(30, 0.5), 10);
  EXPECT_DOUBLE_EQ(effective_n(30, 0), 30);
  EXPECT_DOUBLE_EQ(effective_n(30, -0.4), 30);
  EXPECT_DOUBLE_EQ(effective_n(6, 0.9), 2);
}

TEST(EffectiveN, WidensTheIntervalAndLowersTheFreedom) {
  const Values a{10, 11, 12, 11, 13, 12, 14, 12, 15};
  const Values b{11, 11, 11, 12, 11, 13, 12, 13, 12};
  const auto plain = paired_log_ratio(a, b).value();
  const auto wide = paired_log_ratio(a, b, {.correlation = 0.5}).value();
  EXPECT_DOUBLE_EQ(wide.ratio, plain.ratio);
  EXPECT_DOUBLE_EQ(wide.freedom, 2);
  EXPECT_DOUBLE_EQ(wide.standard_error, plain.standard_error * std::sqrt(3));
  EXPECT_GT(wide.p, plain.p);
  const auto unpaired =
      unpaired_log_ratio(a, b, {.correlation = 0.5, .correlation_of_b = 0.5}).value();
  EXPECT_DOUBLE_EQ(unpaired.standard_error,
                   unpaired_log_ratio(a, b)->standard_error * std::sqrt(3));
}

}  // namespace
}  // namespace prengdl
