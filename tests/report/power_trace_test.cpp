// SPDX-License-Identifier: Apache-2.0
#include "report/power_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prengdl {
namespace {

TEST(MinMaxSeries, KeepsAPeakOfOneSampleInAMillion) {
  MinMaxSeries series(0, 1000, 100);
  for (int i = 0; i < 1'000'000; ++i)
    series.add(i * 1e-3, i == 123'456 ? 500.0 : i == 777'777 ? -3.0 : 100.0);
  const auto points = series.points();
  EXPECT_EQ(points.size(), 100u);
  EXPECT_TRUE(std::any_of(points.begin(), points.end(),
                          [](const auto& point) { return point.high == 500; }));
  EXPECT_TRUE(
      std::any_of(points.begin(), points.end(), [](const auto& point) { return point.low == -3; }));
  for (const auto& point : points) EXPECT_NEAR(point.y, 100, 0.1) << "the line is the mean";
}

TEST(MinMaxSeries, IsInOrderAndHasBothEnds) {
  MinMaxSeries series(0, 10, 7);
  for (int i = 0; i <= 1000; ++i) series.add(i * 0.01, (i * 37) % 101);
  const auto points = series.points();
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.x < b.x; }));
  EXPECT_EQ(points.front().x, 0);
  EXPECT_EQ(points.back().x, 10);
}

TEST(MinMaxSeries, GivesFewPointsAsTheyAre) {
  MinMaxSeries series(0, 1, 10);
  for (int i = 0; i < 20; ++i) series.add(i * 0.05, i);
  EXPECT_EQ(series.points().size(), 20u);
}

MeterInfo meter(Unit unit, const char* domain, double step) {
  MeterInfo info;
  info.unit = unit;
  info.domain = domain;
  info.step = step;
  info.kind = unit == Unit::joule ? Kind::counter : Kind::gauge;
  return info;
}

TEST(PowerTrace, AddsMetersThatAreReadTogether) {
  const std::vector<MeterInfo> meters{meter(Unit::watt, "gpu", 0.001),
                                      meter(Unit::watt, "gpu", 0.001),
                                      meter(Unit::watt, "other", 1)};
  PowerTrace trace(meters, {"gpu"}, 0, 10, 100);
  for (int i = 0; i < 5; ++i)
    for (std::uint16_t m = 0; m < 3; ++m)
      trace.add(m, {i * 1'000'000'000LL + m, 10'000ULL * (m + 1U), ReadStatus::ok, Mark::tick, 0});
  trace.finish();
  const auto points = trace.series().points();
  ASSERT_EQ(points.size(), 5u);
  for (const auto& point : points) EXPECT_DOUBLE_EQ(point.y, 30);
  EXPECT_EQ(trace.covered(), std::vector<std::string>{"gpu"});
}

TEST(PowerTrace, TakesWattsFromTheStepsOfACounter) {
  const std::vector<MeterInfo> meters{meter(Unit::joule, "package", 1e-6)};
  PowerTrace trace(meters, {"package"}, 0, 1, 100);
  // Read every 10 ms, but it counts only every 20 ms: 50 W all the time.
  for (int i = 0; i <= 50; ++i)
    trace.add(0, {i * 10'000'000LL, static_cast<std::uint64_t>(i / 2) * 1'000'000ULL,
                  ReadStatus::ok, Mark::tick, 0});
  trace.finish();
  ASSERT_FALSE(trace.series().points().empty());
  for (const auto& point : trace.series().points()) EXPECT_NEAR(point.y, 50, 1e-6);
}

TEST(PowerTrace, LeavesOutFailedReadings) {
  const std::vector<MeterInfo> meters{meter(Unit::watt, "gpu", 1)};
  PowerTrace trace(meters, {"gpu"}, 0, 1, 100);
  trace.add(0, {0, 10, ReadStatus::ok, Mark::tick, 0});
  trace.add(0, {1000, 9999, ReadStatus::failed, Mark::tick, 0});
  trace.add(0, {2000, 12, ReadStatus::ok, Mark::tick, 0});
  trace.finish();
  EXPECT_EQ(trace.series().points().size(), 2u);
}

}  // namespace
}  // namespace prengdl
