// SPDX-License-Identifier: Apache-2.0
#include "bench/waveform.h"

#include <gtest/gtest.h>

namespace {

using bench::Counter;
using bench::parse_waveform;
using bench::Waveform;

/// The integral by small steps, to check the formula against.
double summed(const Waveform& wave, double seconds) {
  constexpr int steps = 200'000;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double at = seconds * i / steps;
    const double next = seconds * (i + 1) / steps;
    const double middle = (at + next) / 2;
    double power = wave.watts;
    if (wave.shape == Waveform::Shape::square)
      power = std::fmod(middle * wave.hertz, 1.0) < wave.duty ? wave.other_watts : wave.watts;
    if (wave.shape == Waveform::Shape::sine)
      power += wave.other_watts * std::sin(2 * std::numbers::pi * wave.hertz * middle);
    sum += power * (next - at);
  }
  return sum;
}

TEST(BenchWaveform, EnergyIsTheIntegralOfThePower) {
  for (const char* text : {"const:60", "square:20,120,5", "square:10,90,3,0.2", "sine:60,30,2"}) {
    const auto wave = parse_waveform(text);
    ASSERT_TRUE(wave) << text;
    for (const double seconds : {0.07, 1.0, 2.345})
      EXPECT_NEAR(wave->energy(seconds), summed(*wave, seconds), 0.01) << text << " " << seconds;
  }
}

TEST(BenchWaveform, RefusesWhatIsNotAWaveform) {
  for (const char* text : {"", "const", "const:", "const:x", "square:1,2", "square:1,2,0",
                           "square:1,2,3,4", "sine:1,2", "triangle:1,2,3"})
    EXPECT_FALSE(parse_waveform(text)) << text;
}

}  // namespace
