// SPDX-License-Identifier: Apache-2.0
#include "model/learnt_counter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bench/simulated_counters.h"

namespace prengdl {
namespace {

constexpr std::int64_t ms = 1'000'000;

MeterInfo unstated_counter() {
  MeterInfo info;
  info.id = "exec/machine";
  info.kind = Kind::counter;
  info.quality = Quality::wall;
  info.unit = Unit::joule;
  info.step = 1e-6;
  return info;
}

EnergyCurve curve_of(const std::vector<Reading>& readings, std::vector<std::int64_t> times_ns) {
  EnergyCurve curve(unstated_counter(), std::move(times_ns));
  for (const auto& one : readings) curve.add(one);
  curve.finish();
  return curve;
}

/// Lines every 100 ms from a counter of constant power that counts in steps.
std::vector<Reading> lines_of(double watts, double step, double phase, double seconds) {
  std::vector<Reading> readings;
  for (std::int64_t at = 0; at <= std::llround(seconds * 1e9); at += 100 * ms) {
    const double joules =
        std::floor((watts * static_cast<double>(at) * 1e-9 + phase) / step) * step;
    readings.push_back({.at_ns = 10'000 * ms + at,
                        .raw = static_cast<std::uint64_t>(std::llround(joules * 1e6)),
                        .slack_ns = 50 * ms});
  }
  return readings;
}

TEST(LearntCounter, StatesAnIntervalThatHoldsTheTruthWhateverItsStepAndInterval) {
  std::size_t runs = 0;
  std::size_t stated = 0;
  std::size_t held = 0;
  std::vector<double> widths;
  std::mt19937_64 random(2023);
  while (runs < 2000)
    for (const double step : bench::counter_steps)
      for (const double interval : bench::counter_intervals) {
        const auto run = bench::SimulatedRun({step, interval}, random).measure();
        ++runs;
        if (!run.stated) continue;
        ++stated;
        held += std::abs(run.stated->value.value - run.truth) <= run.stated->uncertainty.value;
        widths.push_back(2 * run.stated->uncertainty.value /
                         std::max(step, run.watts * run.interval));
      }
  EXPECT_GE(stated, runs * 95 / 100) << "of " << runs << " runs";
  EXPECT_GE(static_cast<double>(held) / static_cast<double>(stated), 0.93);
  std::nth_element(widths.begin(), widths.begin() + widths.size() / 2, widths.end());
  EXPECT_LE(widths[widths.size() / 2], 2) << "of the larger of step and power x update interval";
}

TEST(LearntCounter, WithStepsOf36JoulesIsAsUnsureAsTheyMakeIt) {
  // 80 J in 4 s at 20 W: wherever the steps fall, the truth is in the interval.
  for (double phase = 0; phase < 36; phase += 0.5) {
    const auto curve = curve_of(lines_of(20, 36, phase, 4), {10'000 * ms, 14'000 * ms});
    const auto energy = curve.window(0, 1);
    ASSERT_TRUE(energy) << phase;
    EXPECT_NEAR(energy->value.value, 80, energy->uncertainty.value) << phase;
    EXPECT_GT(energy->uncertainty.value, 5) << phase;
    EXPECT_LT(energy->uncertainty.value, 36) << phase;
  }
}

TEST(LearntCounter, IsExactAtReadingsThatAreFresh) {
  std::vector<Reading> readings;
  for (std::int64_t i = 0; i <= 10; ++i)
    readings.push_back({.at_ns = i * 100 * ms, .raw = static_cast<std::uint64_t>(i) * 5'000'000});
  const auto energy = curve_of(readings, {0, 1000 * ms}).window(0, 1);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 50, 1e-9);
  EXPECT_LT(energy->uncertainty.value, 1e-5);
}

TEST(LearntCounter, ThatMovedOnceHasNoFigure) {
  // One step of 36 J may stand for anything between nothing and two of them.
  const auto curve = curve_of(lines_of(20, 36, 0, 2.5), {10'000 * ms, 12'500 * ms});
  EXPECT_FALSE(curve.is_resolved(0, 1));
}

TEST(LearntCounter, ThatStandsStillHasNoFigure) {
  const auto curve = curve_of(lines_of(0.01, 36, 0, 4), {10'000 * ms, 14'000 * ms});
  EXPECT_FALSE(curve.is_resolved(0, 1));
}

TEST(LearntCounter, BelievesALargeStepOfASlowCounter) {
  // 200 W, brought up to date every 5 s, printed every 100 ms: 1000 J between two lines.
  std::vector<Reading> readings;
  for (std::int64_t at = 0; at <= 40'000; at += 100)
    readings.push_back(
        {.at_ns = at * ms, .raw = static_cast<std::uint64_t>(at / 5000) * 1'000'000'000});
  const auto energy = curve_of(readings, {2'000 * ms, 38'000 * ms}).window(0, 1);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 200 * 36, energy->uncertainty.value);
  EXPECT_LT(energy->uncertainty.value, 1100);
}

TEST(LearntCounter, HasNoFigureAcrossAReset) {
  auto readings = lines_of(20, 1, 0, 4);
  const std::size_t half = readings.size() / 2;
  for (std::size_t i = half; i < readings.size(); ++i) readings[i].raw -= readings[half].raw;
  const auto curve = curve_of(readings, {10'100 * ms, 11'900 * ms, 12'100 * ms, 13'900 * ms});
  EXPECT_FALSE(curve.window(0, 3));
  ASSERT_TRUE(curve.window(0, 1));
  EXPECT_NEAR(curve.window(0, 1)->value.value, 36, curve.window(0, 1)->uncertainty.value);
  ASSERT_TRUE(curve.window(2, 3));
  EXPECT_NEAR(curve.window(2, 3)->value.value, 36, curve.window(2, 3)->uncertainty.value);
}

}  // namespace
}  // namespace prengdl
