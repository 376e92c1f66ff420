// SPDX-License-Identifier: Apache-2.0
#include "run/power_now.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace prengdl {
namespace {

MeterInfo counter(const std::string& domain, Counted counted = Counted::yes) {
  MeterInfo info;
  info.id = info.domain = domain;
  info.step = 1e-6;
  info.range = 1'000'000'000;
  info.counted = counted;
  return info;
}

/// A counter that rises by so many watts from one second to another, read every 10 ms.
std::vector<Sample> drawing(double watts, double from, double until, std::uint16_t meter = 0) {
  std::vector<Sample> samples;
  for (double at = from; at <= until; at += 0.01) {
    Sample sample;
    sample.meter = meter;
    sample.reading.at_ns = nanoseconds(Seconds{at});
    sample.reading.raw = static_cast<std::uint64_t>(at * watts * 1e6) % 1'000'000'000;
    samples.push_back(sample);
  }
  return samples;
}

TEST(PowerNow, IsTheRiseOfACounterAlsoAcrossItsWrap) {
  const MeterInfo info = counter("package");
  const std::vector<const MeterInfo*> meters{&info};
  PowerNow power(meters);
  power.add(drawing(50, 15, 15.1));
  EXPECT_FALSE(power.get()) << "too short to tell";
  power.add(drawing(50, 15.11, 25));  // wraps after 20 s
  ASSERT_TRUE(power.get());
  EXPECT_NEAR(power.get()->watts.value, 50, 0.1);
  EXPECT_EQ(power.get()->quality, Quality::chip);
}

TEST(PowerNow, ForgetsWhatWasTwoSecondsAgo) {
  const MeterInfo info = counter("package");
  const std::vector<const MeterInfo*> meters{&info};
  PowerNow power(meters);
  power.add(drawing(10, 1, 5));
  auto later = drawing(80, 5.01, 8);
  // The counter goes on from where it was.
  for (auto& sample : later) sample.reading.raw -= static_cast<std::uint64_t>(5 * 70e6);
  power.add(later);
  EXPECT_NEAR(power.get()->watts.value, 80, 1);
}

TEST(PowerNow, AddsWhatDoesNotOverlapAndKnowsTheWorstQuality) {
  const MeterInfo package = counter("package");
  const MeterInfo cores = counter("cores", Counted::inside);
  MeterInfo gpu = counter("gpu");
  gpu.kind = Kind::gauge;
  gpu.unit = Unit::watt;
  gpu.step = 1e-3;
  gpu.quality = Quality::virtual_machine;
  const std::vector<const MeterInfo*> meters{&package, &cores, &gpu};
  PowerNow power(meters);
  power.add(drawing(50, 1, 2, 0));
  power.add(drawing(30, 1, 2, 1));
  EXPECT_FALSE(power.get()) << "a sum with a hole looks like a saving";
  Sample gauge;
  gauge.meter = 2;
  gauge.reading.raw = 7000;
  power.add(std::vector{gauge});
  ASSERT_TRUE(power.get());
  EXPECT_NEAR(power.get()->watts.value, 57, 0.1);
  EXPECT_EQ(power.get()->quality, Quality::virtual_machine);
}

TEST(PowerNow, LeavesOutReadingsThatFailed) {
  const MeterInfo info = counter("package");
  const std::vector<const MeterInfo*> meters{&info};
  PowerNow power(meters);
  auto samples = drawing(50, 1, 3);
  for (std::size_t i = 0; i < samples.size(); i += 2) {
    samples[i].reading.status = ReadStatus::failed;
    samples[i].reading.raw = 0;
  }
  power.add(samples);
  EXPECT_NEAR(power.get()->watts.value, 50, 0.1);
}

}  // namespace
}  // namespace prengdl
