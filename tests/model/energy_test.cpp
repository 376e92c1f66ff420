// SPDX-License-Identifier: Apache-2.0
#include "model/energy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "base/clock.h"

namespace prengdl {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t start_ns = 5'000'000'000;  // a clock that began long ago

/// Like a RAPL zone: microjoules, a step each millisecond.
MeterInfo stepping_counter(Seconds update = Seconds{0.001}) {
  MeterInfo info;
  info.id = "counter";
  info.kind = Kind::counter;
  info.unit = Unit::joule;
  info.step = 1e-6;
  info.update = update;
  return info;
}

/// A counter without steps of its own: what it shows is true when it is read.
MeterInfo smooth_counter() { return stepping_counter(Seconds{0}); }

MeterInfo gauge() {
  MeterInfo info;
  info.id = "gauge";
  info.kind = Kind::gauge;
  info.quality = Quality::sensor;
  info.unit = Unit::watt;
  info.step = 1e-6;
  return info;
}

Reading reading(std::int64_t at_ns, std::uint64_t raw) { return {.at_ns = at_ns, .raw = raw}; }
Reading failed(std::int64_t at_ns, ReadStatus status = ReadStatus::failed) {
  return {.at_ns = at_ns, .status = status};
}
Reading edge(std::int64_t at_ns, std::uint64_t raw, std::uint32_t slack_ns = 0) {
  return {.at_ns = at_ns, .raw = raw, .mark = Mark::edge, .slack_ns = slack_ns};
}
Reading watts(std::int64_t at_ns, double value) {
  return reading(at_ns, static_cast<std::uint64_t>(std::llround(value * 1e6)));
}

EnergyCurve curve_of(const MeterInfo& info, const std::vector<Reading>& readings,
                     std::vector<std::int64_t> times_ns) {
  EnergyCurve curve(info, std::move(times_ns));
  for (const auto& one : readings) curve.add(one);
  curve.finish();
  return curve;
}

std::optional<Energy> energy_of(const MeterInfo& info, const std::vector<Reading>& readings,
                                std::int64_t from_ns, std::int64_t to_ns) {
  return curve_of(info, readings, {from_ns, to_ns}).window(0, 1);
}

/// What a counter shows that adds up constant power and is updated now and then.
struct ConstantPower {
  double power = 100;           // W
  std::int64_t update_ns = ms;  // it steps this often
  std::int64_t phase_ns = 0;    // and first at this time
  std::uint64_t raw_at(std::int64_t at_ns) const {
    const auto steps = (at_ns - phase_ns) / update_ns;
    return static_cast<std::uint64_t>(
        std::floor(power * static_cast<double>(phase_ns + steps * update_ns) * 1e-9 * 1e6));
  }
};

TEST(Counter, CountsUp) {
  const auto info = smooth_counter();
  EXPECT_EQ(counted_between(info, 10, 25), 15u);
  EXPECT_EQ(counted_between(info, 7, 7), 0u);
}

TEST(Counter, CountsOnAcrossAWrapAtItsRange) {
  auto info = smooth_counter();
  info.range = 1000;
  EXPECT_EQ(counted_between(info, 990, 5), 15u);
  EXPECT_EQ(counted_between(info, 999, 0), 1u);
  EXPECT_EQ(counted_between(info, 1000, 5), std::nullopt) << "a value beyond the range is a fault";
}

TEST(Counter, WithoutARangeItMustNotGoBackwards) {
  EXPECT_EQ(counted_between(smooth_counter(), 990, 5), std::nullopt);
}

TEST(Counter, WrapsAt32And64Bits) {
  auto info = smooth_counter();
  info.range = 1ULL << 32;
  EXPECT_EQ(counted_between(info, 0xFFFFFFFF, 2), 3u);
  info.range = UINT64_MAX;
  EXPECT_EQ(counted_between(info, UINT64_MAX - 1, 2), 3u);
}

TEST(Counter, GivesEnergyBetweenTwoGoodReadings) {
  const auto info = smooth_counter();
  const auto energy = energy_between(info, reading(0, 1'000'000), reading(ms, 3'500'000));
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->value, 2.5);
  EXPECT_FALSE(energy_between(info, failed(0), reading(ms, 1)));
  EXPECT_FALSE(energy_between(info, reading(0, 1), failed(ms, ReadStatus::gone)));
  EXPECT_FALSE(energy_between(info, reading(ms, 1), reading(0, 2))) << "time ran backwards";
  EXPECT_FALSE(energy_between(info, reading(0, 2), reading(ms, 1)));
}

TEST(Counter, TellsForHowLongAWrapCannotHide) {
  auto info = stepping_counter();
  EXPECT_EQ(longest_safe_interval(info), std::nullopt) << "it never wraps";
  info.range = 262143328851;
  const auto safe = longest_safe_interval(info);
  ASSERT_TRUE(safe);
  EXPECT_NEAR(safe->count(), 262143.328851 / most_plausible_power.value, 1e-9);
  info.kind = Kind::gauge;
  EXPECT_EQ(longest_safe_interval(info), std::nullopt);
}

TEST(EnergyCurve, IsExactAtTheReadingsOfASmoothCounter) {
  const auto energy =
      energy_of(smooth_counter(), {reading(0, 500), reading(10 * ms, 2'000'500)}, 0, 10 * ms);
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->value.value, 2.0);
  EXPECT_LT(energy->uncertainty.value, 2e-6);
  EXPECT_EQ(energy->quality, Quality::chip);
}

TEST(EnergyCurve, InterpolatesBetweenReadingsAndSaysHowUnsureThatIs) {
  const std::vector<Reading> readings{reading(0, 0), reading(100 * ms, 10'000'000),
                                      reading(200 * ms, 20'000'000)};
  const auto energy = energy_of(smooth_counter(), readings, 50 * ms, 200 * ms);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 15.0, 1e-9);
  // 100 W for 50 ms: power may have begun right there.
  EXPECT_NEAR(energy->uncertainty.value, 5, 1e-5);
}

TEST(EnergyCurve, OfConstantPowerIsUnbiasedAndWithinItsUncertainty) {
  std::mt19937_64 random(11);
  const auto uniform = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  double sum = 0;
  double squares = 0;
  int outside = 0;
  constexpr int rounds = 4000;
  constexpr double power = 100;
  for (int round = 0; round < rounds; ++round) {
    const ConstantPower counter{power, ms, uniform(0, ms - 1)};
    std::vector<Reading> readings;
    for (std::int64_t at = start_ns + uniform(0, 10 * ms); at < start_ns + 700 * ms;
         at += 10 * ms) {
      const auto when = at + uniform(0, ms / 5);
      readings.push_back(reading(when, counter.raw_at(when)));
    }
    const std::int64_t from = start_ns + uniform(20 * ms, 300 * ms);
    const std::int64_t to = from + uniform(20 * ms, 350 * ms);
    const auto energy = energy_of(stepping_counter(), readings, from, to);
    ASSERT_TRUE(energy);
    const double error = energy->value.value - power * seconds_between(from, to).count();
    sum += error;
    squares += error * error;
    if (std::abs(error) > energy->uncertainty.value) ++outside;
    // Two ends, each off by half a step and what its bracket adds.
    ASSERT_LT(energy->uncertainty.value, 2.5 * power * 0.0035);
    ASSERT_GT(energy->uncertainty.value, 0);
  }
  const double mean = sum / rounds;
  const double standard_error = std::sqrt(squares) / rounds;
  EXPECT_LT(std::abs(mean), 4 * standard_error) << "biased by " << mean << " J";
  EXPECT_LT(std::abs(mean), 0.02 * power * 0.001) << "two hundredths of a step";
  EXPECT_EQ(outside, 0) << "of " << rounds << " windows";
}

TEST(EnergyCurve, IsUnbiasedWhereTheEndsOfAWindowDifferInPower) {
  // Idle, then 100 W: what a counter shows late must not be missing in the middle of the load.
  std::mt19937_64 random(19);
  double sum = 0;
  constexpr int rounds = 4000;
  constexpr double power = 100;
  const std::int64_t change = start_ns + 50 * ms;
  const auto idle_raw = static_cast<std::uint64_t>(power * static_cast<double>(change) * 1e-3);
  for (int round = 0; round < rounds; ++round) {
    const ConstantPower counter{power, ms, static_cast<std::int64_t>(random() % ms)};
    std::vector<Reading> readings;
    for (std::int64_t at = start_ns + static_cast<std::int64_t>(random() % (10 * ms));
         at < start_ns + 150 * ms; at += 10 * ms)
      readings.push_back(reading(at, std::max(counter.raw_at(at), idle_raw)));
    const auto energy =
        energy_of(stepping_counter(), readings, start_ns + 20 * ms, change + 50 * ms);
    ASSERT_TRUE(energy);
    sum += energy->value.value - power * 0.05;
  }
  EXPECT_LT(std::abs(sum / rounds), 0.05 * power * 0.001 + power * 1e-6) << "a twentieth of a step";
}

TEST(EnergyCurve, IsUnbiasedWhereAWindowEndsWithTheLastReading) {
  std::mt19937_64 random(12);
  double sum = 0;
  int outside = 0;
  constexpr int rounds = 4000;
  constexpr double power = 100;
  for (int round = 0; round < rounds; ++round) {
    const ConstantPower counter{power, ms, static_cast<std::int64_t>(random() % ms)};
    std::vector<Reading> readings;
    for (std::int64_t at = start_ns; at <= start_ns + 100 * ms; at += 10 * ms)
      readings.push_back(reading(at, counter.raw_at(at)));
    const auto energy = energy_of(stepping_counter(), readings, start_ns, start_ns + 100 * ms);
    ASSERT_TRUE(energy);
    const double error = energy->value.value - power * 0.1;
    sum += error;
    if (std::abs(error) > energy->uncertainty.value) ++outside;
  }
  EXPECT_LT(std::abs(sum / rounds), 0.05 * power * 0.001) << "a twentieth of a step";
  EXPECT_EQ(outside, 0) << "of " << rounds << " windows";
}

TEST(EnergyCurve, OfASlowCounterReadMoreOftenThanItStepsIsHonest) {
  std::mt19937_64 random(13);
  double sum = 0;
  int outside = 0;
  constexpr int rounds = 2000;
  constexpr double power = 200;
  for (int round = 0; round < rounds; ++round) {
    const ConstantPower counter{power, 100 * ms, static_cast<std::int64_t>(random() % (100 * ms))};
    std::vector<Reading> readings;
    for (std::int64_t at = start_ns; at <= start_ns + 3000 * ms; at += 20 * ms)
      readings.push_back(reading(at, counter.raw_at(at)));
    const std::int64_t from = start_ns + static_cast<std::int64_t>(random() % (500 * ms));
    const std::int64_t to = start_ns + 3000 * ms;
    const auto energy = energy_of(stepping_counter(Seconds{0.1}), readings, from, to);
    ASSERT_TRUE(energy);
    const double error = energy->value.value - power * seconds_between(from, to).count();
    sum += error;
    if (std::abs(error) > energy->uncertainty.value) ++outside;
  }
  EXPECT_LT(std::abs(sum / rounds), 0.1 * power * 0.1) << "a tenth of a step";
  EXPECT_LE(outside, rounds / 50) << "of " << rounds << " windows";
}

TEST(EnergyCurve, IsExactBetweenEdges) {
  // The counter steps at 3.25 ms and at 103.25 ms after the start; both moments are known.
  const ConstantPower counter{80, ms, 250'000};
  const auto at = [&](std::int64_t ns) {
    return edge(start_ns + ns, counter.raw_at(start_ns + ns), 500);
  };
  std::vector<Reading> readings{at(3'250'000)};
  for (std::int64_t tick = 10 * ms; tick <= 100 * ms; tick += 10 * ms)
    readings.push_back(reading(start_ns + tick, counter.raw_at(start_ns + tick)));
  readings.push_back(at(103'250'000));
  const auto energy =
      energy_of(stepping_counter(), readings, start_ns + 3'250'000, start_ns + 103'250'000);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 8.0, 2e-6);
  EXPECT_LT(energy->uncertainty.value, 80 * 2 * 500e-9 * 1.2 + 2e-6)
      << "only the slack of two edges";
}

TEST(EnergyCurve, KnowsHowOldReadingsRightAfterAnEdgeAre) {
  // Read once per millisecond right after the counter's steps, as at 1000 samples per second after
  // a run was begun at a step. Half a step old they would all be, but they are a tenth of one old.
  const ConstantPower counter{80, ms, 250'000};
  std::vector<Reading> readings{
      edge(start_ns + 3'250'000, counter.raw_at(start_ns + 3'250'000), 500)};
  for (std::int64_t tick = 4'350'000; tick < 53'250'000; tick += ms)
    readings.push_back(reading(start_ns + tick, counter.raw_at(start_ns + tick)));
  readings.push_back(edge(start_ns + 53'250'000, counter.raw_at(start_ns + 53'250'000), 500));
  const std::int64_t from = start_ns + 3'550'000;  // the exec comes a little after the step
  const std::int64_t to = start_ns + 53'250'000;
  const auto energy = energy_of(stepping_counter(), readings, from, to);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 80 * seconds_between(from, to).count(), 80 * 0.00001)
      << "to a hundredth of a step";
}

TEST(EnergyCurve, DoesNotGuessWhetherAReadingCameBeforeOrAfterAStep) {
  // The second reading comes when the counter should step: it may show the value before or after.
  for (const std::int64_t steps_at : {5'249'000, 5'251'000}) {
    const ConstantPower early{80, ms, steps_at % ms};
    const std::vector<Reading> readings{
        edge(start_ns + 4'250'000, early.raw_at(start_ns + 4'260'000), 10'000),
        reading(start_ns + 5'250'000, early.raw_at(start_ns + 5'250'000)),
        edge(start_ns + 7'250'000, early.raw_at(start_ns + 7'260'000), 10'000)};
    const std::int64_t from = start_ns + 4'500'000;
    const std::int64_t to = start_ns + 7'250'000;
    const auto energy = energy_of(stepping_counter(), readings, from, to);
    ASSERT_TRUE(energy);
    EXPECT_NEAR(energy->value.value, 80 * seconds_between(from, to).count(),
                energy->uncertainty.value)
        << steps_at;
  }
}

TEST(EnergyCurve, CountsOnAcrossAWrapInTheMiddle) {
  auto info = smooth_counter();
  info.range = 1'000'000'000;
  const std::vector<Reading> readings{reading(0, 999'000'000), reading(10 * ms, 999'800'000),
                                      reading(20 * ms, 600'000), reading(30 * ms, 1'400'000)};
  const auto energy = energy_of(info, readings, 0, 30 * ms);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 2.4, 1e-9);
  const auto inside = energy_of(info, readings, 15 * ms, 25 * ms);
  ASSERT_TRUE(inside);
  EXPECT_NEAR(inside->value.value, 0.8, 1e-9);
}

TEST(EnergyCurve, HasNoFigureAcrossAReset) {
  std::vector<Reading> readings;
  for (std::int64_t i = 0; i <= 10; ++i)
    readings.push_back(reading(i * 10 * ms, (i < 6 ? 7'000'000ULL : 0) + 100'000ULL * (i % 6)));
  const auto curve =
      curve_of(smooth_counter(), readings, {10 * ms, 40 * ms, 55 * ms, 70 * ms, 100 * ms});
  EXPECT_FALSE(curve.window(0, 4));
  EXPECT_FALSE(curve.window(1, 3));
  const auto before = curve.window(0, 1);
  ASSERT_TRUE(before) << "the part before the reset is sound";
  EXPECT_NEAR(before->value.value, 0.3, 1e-9);
  const auto after = curve.window(3, 4);
  ASSERT_TRUE(after) << "the part after the reset is sound";
  EXPECT_NEAR(after->value.value, 0.3, 1e-9);
}

TEST(EnergyCurve, HasNoFigureThatBeginsOrEndsInsideAReset) {
  const std::vector<Reading> readings{reading(0, 500'000), reading(10 * ms, 600'000),
                                      reading(20 * ms, 50'000), reading(30 * ms, 150'000)};
  const auto curve = curve_of(smooth_counter(), readings, {5 * ms, 12 * ms, 18 * ms, 30 * ms});
  EXPECT_FALSE(curve.window(0, 1));
  EXPECT_FALSE(curve.window(1, 2)) << "what was counted in there is not known";
  EXPECT_FALSE(curve.window(1, 3));
  EXPECT_FALSE(curve.window(2, 3));
}

TEST(EnergyCurve, HasNoFigureAcrossAGapInWhichAWrapCouldHide) {
  auto info = smooth_counter();
  info.range = 50'000'000;  // 50 J: safe for 10 ms
  const std::vector<Reading> readings{reading(0, 0), reading(5 * ms, 100'000),
                                      reading(25 * ms, 600'000), reading(30 * ms, 700'000)};
  EXPECT_TRUE(energy_of(info, readings, 0, 5 * ms));
  EXPECT_FALSE(energy_of(info, readings, 0, 30 * ms));
  EXPECT_TRUE(energy_of(info, readings, 25 * ms, 30 * ms));
}

TEST(EnergyCurve, HasNoFigureAcrossAnImpossibleJump) {
  // A megajoule in 10 ms: a counter that was replaced, not one that was used.
  const std::vector<Reading> readings{reading(0, 0), reading(10 * ms, 1'000'000'000'000),
                                      reading(20 * ms, 1'000'000'100'000)};
  EXPECT_FALSE(energy_of(smooth_counter(), readings, 0, 20 * ms));
  EXPECT_TRUE(energy_of(smooth_counter(), readings, 10 * ms, 20 * ms));
}

TEST(EnergyCurve, OfACounterNeedsNoReadingInTheMiddle) {
  std::vector<Reading> readings{reading(0, 0)};
  for (std::int64_t i = 1; i < 10; ++i) readings.push_back(failed(i * 10 * ms, ReadStatus::gone));
  readings.push_back(reading(100 * ms, 5'000'000));
  const auto curve = curve_of(smooth_counter(), readings, {0, 100 * ms});
  const auto energy = curve.window(0, 1);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 5.0, 1e-9);
  EXPECT_EQ(curve.readings(), 11u);
  EXPECT_EQ(curve.failures(), 9u);
  EXPECT_EQ(curve.last_failure(), ReadStatus::gone);
}

TEST(EnergyCurve, HasNoFigureWithoutGoodReadings) {
  EXPECT_FALSE(energy_of(smooth_counter(), {}, 0, ms));
  EXPECT_FALSE(energy_of(smooth_counter(), {failed(0), failed(ms)}, 0, ms));
  EXPECT_FALSE(energy_of(gauge(), {failed(0), failed(ms)}, 0, ms));
}

TEST(EnergyCurve, HasNoFigureOutsideTheReadings) {
  std::vector<Reading> counter;
  std::vector<Reading> power;
  for (std::int64_t i = 10; i <= 20; ++i) {
    counter.push_back(reading(i * 10 * ms, 100'000ULL * i));
    power.push_back(watts(i * 10 * ms, 10));
  }
  auto slow = gauge();
  slow.update = Seconds{0.01};
  for (const auto& [info, readings] : {std::pair(stepping_counter(), counter), {slow, power}}) {
    EXPECT_TRUE(energy_of(info, readings, 110 * ms, 190 * ms)) << info.id;
    EXPECT_FALSE(energy_of(info, readings, 50 * ms, 150 * ms)) << info.id;
    EXPECT_FALSE(energy_of(info, readings, 150 * ms, 250 * ms)) << info.id;
    EXPECT_FALSE(energy_of(info, readings, 10 * ms, 40 * ms)) << info.id;
    EXPECT_FALSE(energy_of(info, readings, 300 * ms, 400 * ms)) << info.id;
  }
}

TEST(EnergyCurve, OfAnEmptyWindowIsNothingAtAll) {
  const auto energy =
      energy_of(smooth_counter(), {reading(0, 0), reading(10 * ms, 1000)}, 5 * ms, 5 * ms);
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->value.value, 0);
}

TEST(EnergyCurve, OfAGaugeIsExactForLinearPowerHoweverUnevenTheSpacing) {
  // p(t) = 20 W + 3 W/s * t, whose integral from a to b is known.
  const auto integral = [](double a, double b) { return 20 * (b - a) + 1.5 * (b * b - a * a); };
  std::mt19937_64 random(14);
  std::vector<Reading> readings;
  for (std::int64_t at = 0; at < 10'000 * ms;
       at += 1 + static_cast<std::int64_t>(random() % (300 * ms)))
    readings.push_back(watts(at, 20 + 3 * static_cast<double>(at) * 1e-9));
  const std::int64_t last = readings.back().at_ns;
  for (int round = 0; round < 200; ++round) {
    const auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last));
    const auto to =
        from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last - from));
    const auto energy = energy_of(gauge(), readings, from, to);
    ASSERT_TRUE(energy);
    const double truth = integral(static_cast<double>(from) * 1e-9, static_cast<double>(to) * 1e-9);
    ASSERT_NEAR(energy->value.value, truth, 1e-5) << from << " to " << to;
  }
}

TEST(EnergyCurve, OfAGaugeMayBeNegative) {
  const auto energy = energy_of(gauge(), {watts(0, -5), watts(1000 * ms, -5)}, 0, 1000 * ms);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, -5, 1e-9);
  EXPECT_GE(energy->uncertainty.value, 0);
}

TEST(EnergyCurve, ShiftsAnAveragingGaugeByItsWindowAndLag) {
  auto info = gauge();
  info.window = Seconds{1};
  info.lag = Seconds{0.1};
  info.update = Seconds{0.1};
  // Power steps from 50 to 250 W at 3 s and back at 6 s; the gauge shows its mean over the second
  // that ended a tenth of a second ago.
  const auto shown = [](double t) {
    const auto overlap = [](double a, double b, double c, double d) {
      return std::max(0.0, std::min(b, d) - std::max(a, c));
    };
    return 50 + 200 * overlap(t - 1.1, t - 0.1, 3, 6);
  };
  std::vector<Reading> readings;
  for (std::int64_t at = 0; at <= 10'000 * ms; at += 100 * ms)
    readings.push_back(watts(at, shown(static_cast<double>(at) * 1e-9)));
  // Shifted by 0.6 s, an average over 1 s is right again for any window half a second away from a
  // change, and half of the change lies on either side of it.
  const auto whole = energy_of(info, readings, 3000 * ms, 6000 * ms);
  ASSERT_TRUE(whole);
  EXPECT_NEAR(whole->value.value, 750 - 2 * 200 * 0.125, 2);
  EXPECT_GT(whole->uncertainty.value, 2 * 200 * 0.125 / 2) << "the edges are blurred";
  const auto padded = energy_of(info, readings, 2000 * ms, 7000 * ms);
  ASSERT_TRUE(padded);
  EXPECT_NEAR(padded->value.value, 750 + 100, 1);
  const auto rise = energy_of(info, readings, 2000 * ms, 4000 * ms);
  ASSERT_TRUE(rise);
  EXPECT_NEAR(rise->value.value, 50 + 250, 1) << "the lag is taken back";
  const auto quiet = energy_of(info, readings, 7000 * ms, 9000 * ms);
  ASSERT_TRUE(quiet);
  EXPECT_NEAR(quiet->value.value, 100, 1e-6) << "nothing of the load leaks into the quiet time";
  const auto busy = energy_of(info, readings, 4000 * ms, 5000 * ms);
  ASSERT_TRUE(busy);
  EXPECT_NEAR(busy->value.value, 250, 1e-6);
}

TEST(EnergyCurve, IgnoresAGaugeThatTellsTheSameMomentAgain) {
  const std::vector<Reading> readings{watts(0, 10), watts(100 * ms, 10), watts(100 * ms, 90),
                                      watts(50 * ms, 90), watts(200 * ms, 10)};
  const auto energy = energy_of(gauge(), readings, 0, 200 * ms);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 2.0, 1e-9);
}

TEST(EnergyCurve, HoldsAGaugeForAsLongAsItAverages) {
  auto info = gauge();
  info.update = Seconds{0.1};
  const std::vector<Reading> readings{watts(100 * ms, 30), watts(200 * ms, 30)};
  const auto held = energy_of(info, readings, 50 * ms, 300 * ms);
  ASSERT_TRUE(held);
  EXPECT_NEAR(held->value.value, 7.5, 1e-9);
  EXPECT_NEAR(held->uncertainty.value, 30 * 0.15 / 2, 1e-9) << "half of what was not seen";
}

TEST(EnergyCurve, SaysWhetherAWindowIsLongEnoughForItsMeter) {
  std::vector<Reading> readings;
  for (std::int64_t i = 0; i <= 20; ++i)
    readings.push_back(reading(i * 10 * ms, static_cast<std::uint64_t>(i) * 1'000'000));
  const auto curve = curve_of(stepping_counter(), readings, {50 * ms, 50 * ms + ms / 10, 150 * ms});
  EXPECT_TRUE(curve.is_resolved(0, 2));
  EXPECT_FALSE(curve.is_resolved(0, 1)) << "a tenth of a step";
}

TEST(EnergyCurve, TellsLessThanAStepBetweenStepsThatAreKnown) {
  // Steps seen at 0, 1 and 2 ms within 20 us; a run from 0.5 to 0.9 ms.
  std::vector<Reading> readings;
  for (std::int64_t i = 0; i <= 2; ++i) {
    auto step = reading(i * ms, static_cast<std::uint64_t>(i) * 60'000);
    step.mark = Mark::edge;
    step.slack_ns = 20'000;
    readings.push_back(step);
  }
  const auto curve = curve_of(stepping_counter(), readings, {ms / 2, ms * 9 / 10});
  EXPECT_TRUE(curve.is_resolved(0, 1));
  const auto energy = curve.window(0, 1);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value.value, 0.024, 1e-6);
  EXPECT_GT(energy->uncertainty.value, 0.01) << "how it spread within the step is not known";
}

TEST(EnergyCurve, OfACounterThatStandsStillIsNotResolved) {
  const auto curve =
      curve_of(stepping_counter(), {reading(0, 77), reading(10 * ms, 77), reading(20 * ms, 77)},
               {5 * ms, 15 * ms});
  EXPECT_FALSE(curve.is_resolved(0, 1));
  ASSERT_TRUE(curve.window(0, 1));
  EXPECT_EQ(curve.window(0, 1)->value.value, 0);
}

TEST(EnergyCurve, IsNoSurerThanTheQuantumOfItsCounter) {
  auto info = smooth_counter();
  info.quantum = 0.25;
  const auto energy = energy_of(info, {reading(0, 0), reading(10 * ms, 1'000'000)}, 0, 10 * ms);
  ASSERT_TRUE(energy);
  EXPECT_GE(energy->uncertainty.value, 0.25);
}

TEST(EnergyCurve, WidensModelledEnergyByItsCoefficients) {
  auto info = smooth_counter();
  info.quality = Quality::model;
  info.model_low = 0.5;
  info.model_high = 2;
  const auto energy =
      energy_of(info, {reading(0, 0), reading(1000 * ms, 30'000'000)}, 0, 1000 * ms);
  ASSERT_TRUE(energy);
  EXPECT_EQ(energy->quality, Quality::model);
  EXPECT_NEAR(energy->value.value, 30, 1e-9);
  EXPECT_NEAR(energy->uncertainty.value, 30, 1e-3) << "it may be twice as much";
}

/// Random increments at random times: what the curve must agree with in every way below.
struct RandomCounter {
  std::vector<Reading> readings;
  std::vector<std::int64_t> times;
};

RandomCounter random_counter(std::mt19937_64& random) {
  RandomCounter made;
  std::int64_t at = start_ns;
  std::uint64_t raw = random() % 1'000'000'000;
  for (int i = 0; i < 40; ++i) {
    made.readings.push_back(reading(at, raw));
    at += 1 + static_cast<std::int64_t>(random() % (20 * ms));
    raw += random() % 1'000'000;
  }
  const auto span = static_cast<std::uint64_t>(made.readings.back().at_ns - start_ns);
  for (int i = 0; i < 12; ++i)
    made.times.push_back(start_ns + static_cast<std::int64_t>(random() % span));
  std::sort(made.times.begin(), made.times.end());
  return made;
}

TEST(EnergyCurve, AgreesWithStraightInterpolation) {
  std::mt19937_64 random(15);
  for (int round = 0; round < 200; ++round) {
    const auto made = random_counter(random);
    const auto joules_at = [&](std::int64_t at_ns) {
      const auto after = std::find_if(made.readings.begin() + 1, made.readings.end(),
                                      [&](const Reading& one) { return one.at_ns >= at_ns; });
      const auto before = after - 1;
      const double share = static_cast<double>(at_ns - before->at_ns) /
                           static_cast<double>(after->at_ns - before->at_ns);
      return (static_cast<double>(before->raw) +
              share * static_cast<double>(after->raw - before->raw)) *
             1e-6;
    };
    const auto curve = curve_of(smooth_counter(), made.readings, made.times);
    for (std::size_t i = 0; i < made.times.size(); ++i)
      for (std::size_t j = i; j < made.times.size(); ++j) {
        const auto energy = curve.window(i, j);
        ASSERT_TRUE(energy);
        ASSERT_NEAR(energy->value.value, joules_at(made.times[j]) - joules_at(made.times[i]), 1e-6);
        ASSERT_GE(energy->uncertainty.value, 0);
      }
  }
}

TEST(EnergyCurve, PartsAddUpToTheWhole) {
  std::mt19937_64 random(16);
  for (int round = 0; round < 100; ++round) {
    const auto made = random_counter(random);
    for (const auto& info : {smooth_counter(), stepping_counter()}) {
      const auto curve = curve_of(info, made.readings, made.times);
      for (std::size_t j = 1; j + 1 < made.times.size(); ++j) {
        const auto whole = curve.window(0, made.times.size() - 1);
        const auto first = curve.window(0, j);
        const auto second = curve.window(j, made.times.size() - 1);
        ASSERT_TRUE(whole && first && second);
        ASSERT_NEAR(first->value.value + second->value.value, whole->value.value, 1e-9);
      }
    }
  }
}

TEST(EnergyCurve, DoesNotCareWhereACounterWraps) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 200; ++round) {
    const auto made = random_counter(random);
    auto wrapping = stepping_counter();
    wrapping.range = 1'000'000'000 + random() % 1'000'000;  // 1000 J: safe for 0.2 s
    auto wrapped = made.readings;
    for (auto& one : wrapped) one.raw %= *wrapping.range;
    const auto expected = curve_of(stepping_counter(), made.readings, made.times);
    const auto found = curve_of(wrapping, wrapped, made.times);
    for (std::size_t j = 1; j < made.times.size(); ++j) {
      const auto a = expected.window(0, j);
      const auto b = found.window(0, j);
      ASSERT_TRUE(a && b);
      ASSERT_NEAR(a->value.value, b->value.value, 1e-9);
      ASSERT_NEAR(a->uncertainty.value, b->uncertainty.value, 1e-9);
    }
  }
}

TEST(EnergyCurve, AFailedReadingCostsNothingButItself) {
  std::mt19937_64 random(18);
  for (int round = 0; round < 100; ++round) {
    const auto made = random_counter(random);
    std::vector<Reading> disturbed;
    for (const auto& one : made.readings) {
      disturbed.push_back(one);
      if (random() % 2) disturbed.push_back(failed(one.at_ns + 1));
    }
    const auto expected = curve_of(smooth_counter(), made.readings, made.times);
    const auto found = curve_of(smooth_counter(), disturbed, made.times);
    for (std::size_t j = 1; j < made.times.size(); ++j)
      ASSERT_EQ(expected.window(0, j)->value, found.window(0, j)->value);
  }
}

}  // namespace
}  // namespace prengdl
