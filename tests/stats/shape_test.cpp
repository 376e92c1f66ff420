// SPDX-License-Identifier: Apache-2.0
#include "stats/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "stats/correction.h"
#include "stats/equivalence.h"
#include "stats/rules_reference.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;

LogRatio ratio_of_differences(const Values& differences) {
  return log_ratio_of(
      mean(differences),
      standard_deviation(differences) / std::sqrt(static_cast<double>(differences.size())),
      static_cast<double>(differences.size() - 1));
}

struct CheckedFamily {
  std::vector<LogRatio> cases;
  std::vector<std::optional<MeanSkewness>> skewness;
  Values p;

  void add(const Values& differences) {
    cases.push_back(ratio_of_differences(differences));
    skewness.push_back(paired_skewness(differences));
    p.push_back(cases.back().p);
  }
  std::vector<bool> doubts() const {
    return skew_doubts(p, skewness_checked_p(cases, skewness), 0.05);
  }
};

/// Findings, and findings without doubt, per case, in studies of six cases.
struct Counts {
  double studies_wrong = 0;
  double findings = 0;
  double doubted = 0;
};

Counts simulated(std::size_t n, const std::function<double(std::mt19937_64&, int)>& draw) {
  std::mt19937_64 random(1);
  const int studies = 1000;
  Counts counts;
  for (int i = 0; i < studies; ++i) {
    CheckedFamily family;
    for (int k = 0; k < 6; ++k) {
      Values differences(n);
      std::ranges::generate(differences, [&] { return draw(random, k); });
      family.add(differences);
    }
    const auto corrected = holm(family.p);
    const auto doubts = family.doubts();
    bool any = false;
    for (std::size_t k = 0; k < 6; ++k) {
      if (!(corrected[k] < 0.05)) continue;
      counts.findings += 1;
      counts.doubted += doubts[k] ? 1 : 0;
      any = any || !doubts[k];
    }
    counts.studies_wrong += any ? 1.0 / studies : 0;
  }
  return counts;
}

double centred_exponential(std::mt19937_64& random) {
  return std::exponential_distribution<double>(1)(random) - 1;
}

TEST(Shape, AgreesWithScipy) {
  const auto& reference = rules_reference();
  CheckedFamily family;
  for (int i = 0; i < 4; ++i) family.add(reference.series.at("skewed" + std::to_string(i)));
  const auto p = skewness_checked_p(family.cases, family.skewness);
  const auto equivalence = skewness_checked_equivalence_p(family.cases, family.skewness, 0.5);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string name = "shape skewed" + std::to_string(i);
    reference.expect(name + " skewness", family.skewness[i]->value);
    reference.expect(name + " spread", family.skewness[i]->spread);
    reference.expect(name + " p", p[i]);
    reference.expect(name + " equivalence", equivalence[i]);
  }
  reference.expect(
      "shape unpaired skewness",
      unpaired_skewness(reference.series.at("skewed_a"), reference.series.at("skewed_b"))->value);
}

TEST(Shape, OfSymmetricValuesIsThatOfStudentsT) {
  const Values symmetric{-5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 0};
  CheckedFamily family;
  family.add(symmetric);
  Values moved = symmetric;
  for (double& value : moved) value += 3;
  family.add(moved);
  const auto p = skewness_checked_p(family.cases, family.skewness);
  EXPECT_NEAR(p[1], family.p[1], 1e-12);
  const auto equivalence = skewness_checked_equivalence_p(family.cases, family.skewness, 20);
  EXPECT_NEAR(equivalence[1], prengdl::equivalence(family.cases[1], 20)->p, 1e-12);
}

TEST(Shape, IsNotJudgedFromFewerThanTenPairs) {
  const Values few{1, 2, 3, 4, 5, 6, 7, 8, 30};
  EXPECT_FALSE(paired_skewness(few));
  EXPECT_FALSE(paired_skewness(Values(20, 0.5)));
  EXPECT_FALSE(unpaired_skewness(few, Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  CheckedFamily family;
  family.add(few);
  EXPECT_EQ(skewness_checked_p(family.cases, family.skewness), family.p);
  EXPECT_EQ(family.doubts(), std::vector<bool>{false});
}

TEST(Shape, DoubtsFindingsThatSkewnessMade) {
  for (const std::size_t n : {10, 30}) {
    const auto alike =
        simulated(n, [](std::mt19937_64& random, int) { return centred_exponential(random); });
    EXPECT_LE(alike.studies_wrong, 0.1) << n;
    const auto opposed = simulated(n, [](std::mt19937_64& random, int k) {
      return (k % 2 == 0 ? 1 : -1) * centred_exponential(random);
    });
    EXPECT_LE(opposed.studies_wrong, 0.115) << n;
  }
}

TEST(Shape, SeldomDoubtsWhatNormalValuesShow) {
  for (const auto& [n, effect] : {std::pair(10, 1.3), std::pair(30, 0.65)}) {
    std::normal_distribution<double> normal(effect, 1);
    const auto counts = simulated(static_cast<std::size_t>(n),
                                  [&](std::mt19937_64& random, int) { return normal(random); });
    EXPECT_GT(counts.findings, 5000);
    EXPECT_LT(counts.doubted, 0.15 * counts.findings) << n;
  }
}

}  // namespace
}  // namespace prengdl
