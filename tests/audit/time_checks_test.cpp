// SPDX-License-Identifier: Apache-2.0
#include "audit/time_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace prengdl {
namespace {

using Hours = std::vector<double>;

TEST(HourOfDay, IsReadFromUsualTimeStamps) {
  EXPECT_DOUBLE_EQ(*hour_of_day("2026-11-16T10:30:36Z"), 10.51);
  EXPECT_DOUBLE_EQ(*hour_of_day("16.11.2026 23:15"), 23.25);
  EXPECT_DOUBLE_EQ(*hour_of_day("2026-11-16 00:00:00.5+02:00"), 0);
  for (const auto* stamp : {"", "2026-11-16", "1763288436", "10:30", "2026-11-16T99:00"})
    EXPECT_FALSE(hour_of_day(stamp)) << stamp;
}

TEST(DayDifference, IsTheArcInWhichSharesDifferMost) {
  const auto found = day_difference(Hours{22, 23, 1, 2, 12}, Hours{9, 10, 11, 13, 14});
  EXPECT_DOUBLE_EQ(found.from, 22);
  EXPECT_DOUBLE_EQ(found.to, 2) << "it passes midnight";
  EXPECT_DOUBLE_EQ(found.first, 0.8);
  EXPECT_DOUBLE_EQ(found.second, 0);
}

TEST(DayDifference, DoesNotDependOnWhereTheDayBegins) {
  const Hours a{1, 2, 3, 4, 9}, b{5, 6, 12, 14, 20};
  const auto found = day_difference(a, b);
  Hours c = a, d = b;
  for (auto& hour : c) hour = std::fmod(hour + 21, 24);
  for (auto& hour : d) hour = std::fmod(hour + 21, 24);
  const auto later = day_difference(c, d);
  EXPECT_NEAR(found.first - found.second, later.first - later.second, 1e-12);
  EXPECT_NEAR(found.p, later.p, 1e-12);
}

TEST(DayDifference, IsRareInSamplesOfTheSameHours) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> hour(0, 24);
  int alarms = 0;
  for (int i = 0; i < 1000; ++i) {
    Hours a(20), b(30);
    for (auto& one : a) one = hour(random);
    for (auto& one : b) one = hour(random);
    alarms += day_difference(a, b).p < 0.05;
  }
  EXPECT_NEAR(alarms / 1000.0, 0.05, 0.025);
}

TEST(MeanHour, IsTakenOnTheCircle) {
  EXPECT_NEAR(*mean_hour(Hours{23, 1}), 0, 1e-9);
  EXPECT_FALSE(mean_hour(Hours{0, 6, 12, 18}));
}

/// Rows of one value each, in one group, with noise that remembers.
SerialValues remembering(double correlation, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  SerialValues values;
  double last = normal(random), sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    values.rows.push_back({last});
    values.group.push_back(0);
    sum += last;
    if (i > 0) values.neighbours.emplace_back(i - 1, i);
    last = correlation * last + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  for (auto& row : values.rows) row[0] -= sum / static_cast<double>(n);
  return values;
}

TEST(SerialCorrelationTest, IsEstimatedWithItsP) {
  const auto found = serial_correlation(remembering(0.6, 400, 3));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->correlation, 0.6, 0.1);
  EXPECT_LT(found->p, 0.001);
}

TEST(SerialCorrelationTest, OfIndependentValuesIsRare) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    alarms += serial_correlation(remembering(0, 12, seed), 199)->p < 0.05;
  EXPECT_NEAR(alarms / 400.0, 0.05, 0.035);
}

TEST(SerialCorrelationTest, OfManyValuesIsJudgedAsOfFewer) {
  EXPECT_LT(serial_correlation(remembering(0.1, 6000, 4))->p, 0.001);
  EXPECT_GT(serial_correlation(remembering(0, 6000, 5))->p, 0.01);
}

TEST(SerialCorrelationTest, NeedsNeighboursWithSpread) {
  EXPECT_FALSE(serial_correlation(remembering(0, 5, 1)));
  SerialValues equal = remembering(0, 20, 1);
  for (auto& row : equal.rows) row[0] = 0;
  EXPECT_FALSE(serial_correlation(equal));
}

}  // namespace
}  // namespace prengdl
