// SPDX-License-Identifier: Apache-2.0
#include "model/standstill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace prengdl {
namespace {

constexpr std::int64_t ms = 1'000'000;

/// Read every 10 ms, up to 3 ms late, while energy(seconds) is drawn.
Standstill read(double seconds, double step, const std::function<double(double)>& energy) {
  Standstill standstill;
  std::mt19937_64 random(7);
  for (double at = 0; at < seconds; at += 0.01) {
    const double now = at + static_cast<double>(random() % 3000) * 1e-6;
    const double shown = std::floor(now * 1000) / 1000;  // a new value each millisecond
    standstill.add(std::llround(now * 1e9), std::floor(energy(shown) / step) * step);
  }
  return standstill;
}

TEST(Standstill, OfACounterThatFreezesInMidRunIsFound) {
  const auto stuck = read(4, 61e-6, [](double at) { return 60 * std::min(at, 0.7); }).stuck();
  ASSERT_TRUE(stuck);
  EXPECT_NEAR(static_cast<double>(stuck->from_ns) * 1e-9, 0.7, 0.02);
  EXPECT_NEAR(static_cast<double>(stuck->to_ns) * 1e-9, 4, 0.02);
}

TEST(Standstill, IsFoundAtTheBeginningAndInTheMiddleToo) {
  EXPECT_TRUE(read(4, 61e-6, [](double at) { return 60 * std::max(at, 3.0); }).stuck());
  EXPECT_TRUE(read(4, 61e-6, [](double at) {
                return 60 * (at < 1 ? at : at < 2 ? 1 : at - 1);
              }).stuck());
}

TEST(Standstill, ThatTheCounterMakesUpForIsNone) {
  // What was drawn meanwhile is shown in one jump: no energy is lost.
  EXPECT_FALSE(read(4, 61e-6, [](double at) { return 60 * (at > 1 && at < 3 ? 1 : at); }).stuck());
}

TEST(Standstill, OfACounterThatGoesOnIsNone) {
  EXPECT_FALSE(read(4, 61e-6, [](double at) { return 60 * at; }).stuck());
  EXPECT_FALSE(read(4, 61e-6, [](double) { return 5.0; }).stuck()) << "it never moved at all";
}

TEST(Standstill, OfAPackageThatGoesToDeepIdleIsNone) {
  EXPECT_FALSE(
      read(60, 61e-6, [](double at) { return at < 5 ? 100 * at : 500 + (at - 5); }).stuck());
}

TEST(Standstill, OfAnIdleDomainUnderACoarseCounterIsNone) {
  // Memory at 0.1 W that counts in joules: ten seconds from step to step.
  EXPECT_FALSE(read(200, 1, [](double at) { return 0.1 * at; }).stuck());
  // And after a load of 5 W.
  EXPECT_FALSE(
      read(200, 1, [](double at) { return at < 20 ? 5 * at : 100 + 0.1 * (at - 20); }).stuck());
}

TEST(Standstill, OfACounterThatIsSeldomUpdatedIsNone) {
  const auto every = [](double interval) {
    return [interval](double at) { return 60.01 * std::floor(at / interval) * interval; };
  };
  EXPECT_FALSE(read(4, 61e-6, every(0.1)).stuck());
  EXPECT_FALSE(read(100, 61e-6, every(5)).stuck());
}

TEST(Standstill, IsNotSeenInAFewReadings) {
  Standstill standstill;
  for (int i = 0; i < 50; ++i) standstill.add(i * 10 * ms, i * 0.6 + (i % 3) * 1e-4);
  standstill.add(3'000 * ms, 49 * 0.6 + (49 % 3) * 1e-4);
  EXPECT_FALSE(standstill.stuck()) << "one more reading of the same value";
}

}  // namespace
}  // namespace prengdl
