// SPDX-License-Identifier: Apache-2.0
#include "run/sample_log.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace prengdl {
namespace {

bool equal(const Sample& a, const Sample& b) {
  return a.meter == b.meter && a.reading.at_ns == b.reading.at_ns &&
         a.reading.raw == b.reading.raw && a.reading.status == b.reading.status &&
         a.reading.mark == b.reading.mark && a.reading.slack_ns == b.reading.slack_ns;
}

std::vector<Sample> read_back(const SampleLog& log) {
  std::vector<Sample> samples;
  log.for_each([&](const Sample& sample) { samples.push_back(sample); });
  return samples;
}

void expect_equal(const std::vector<Sample>& found, const std::vector<Sample>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_TRUE(equal(found[i], expected[i])) << "sample " << i << " came back different";
}

void expect_round_trip(const std::vector<Sample>& samples) {
  SampleLog log;
  log.append(samples);
  EXPECT_EQ(log.size(), samples.size());
  expect_equal(read_back(log), samples);
}

/// Like a run: ten meters, each tick 10 ms after the last.
std::vector<Sample> run_of(std::size_t ticks, std::mt19937_64& random) {
  std::vector<Sample> samples;
  std::int64_t at = 12'345'678'901'234;
  std::uint64_t raw[10]{};
  for (std::size_t tick = 0; tick < ticks; ++tick) {
    at += 10'000'000 + static_cast<std::int64_t>(random() % 50'000);
    for (std::uint16_t meter = 0; meter < 10; ++meter) {
      raw[meter] += random() % 2'000'000;
      samples.push_back({{.at_ns = at + meter * std::int64_t{1000}, .raw = raw[meter]}, meter});
    }
  }
  return samples;
}

TEST(SampleLog, OfNothingIsEmpty) {
  SampleLog log;
  EXPECT_TRUE(read_back(log).empty());
  EXPECT_EQ(log.size(), 0u);
  log.append({});
  EXPECT_TRUE(read_back(log).empty());
  EXPECT_EQ(log.trouble(), "");
}

TEST(SampleLog, GivesBackEveryField) {
  std::vector<Sample> samples;
  for (const auto status : {ReadStatus::ok, ReadStatus::failed, ReadStatus::gone,
                            ReadStatus::denied, ReadStatus::not_a_number}) {
    samples.push_back({{.at_ns = 1000, .raw = 42, .status = status}, 3});
    samples.push_back(
        {{.at_ns = 2000, .raw = 43, .status = status, .mark = Mark::edge, .slack_ns = 700}, 0});
  }
  expect_round_trip(samples);
}

TEST(SampleLog, KeepsTheExtremesOf64Bits) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  std::vector<Sample> samples;
  for (const std::int64_t at :
       {std::int64_t{0}, highest, lowest, highest, std::int64_t{-1}, lowest})
    for (const std::uint64_t raw : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(),
                                    std::uint64_t{1} << 63, std::uint64_t{1}})
      samples.push_back({{.at_ns = at,
                          .raw = raw,
                          .mark = Mark::edge,
                          .slack_ns = std::numeric_limits<std::uint32_t>::max()},
                         std::numeric_limits<std::uint16_t>::max()});
  expect_round_trip(samples);
}

TEST(SampleLog, KeepsTimeThatGoesBackwards) {
  expect_round_trip({{{.at_ns = 5000, .raw = 9}, 0},
                     {{.at_ns = 4000, .raw = 3}, 0},
                     {{.at_ns = 4000, .raw = 3}, 1},
                     {{.at_ns = 9000, .raw = 2}, 0}});
}

TEST(SampleLog, KeepsAnythingAtAll) {
  std::mt19937_64 random(21);
  std::vector<Sample> samples;
  for (int i = 0; i < 20'000; ++i) {
    Sample sample;
    sample.meter = static_cast<std::uint16_t>(random() % 40);
    // Small and large differences alike.
    sample.reading.at_ns = static_cast<std::int64_t>(random() >> random() % 64);
    sample.reading.raw = random() >> random() % 64;
    sample.reading.status = static_cast<ReadStatus>(random() % 5);
    sample.reading.mark = static_cast<Mark>(random() % 2);
    if (sample.reading.mark == Mark::edge)
      sample.reading.slack_ns = static_cast<std::uint32_t>(random() >> random() % 64);
    samples.push_back(sample);
  }
  expect_round_trip(samples);
}

TEST(SampleLog, SpillsAndIsReadTwice) {
  std::mt19937_64 random(22);
  const auto samples = run_of(40'000, random);  // several megabytes
  SampleLog log;
  for (std::size_t i = 0; i < samples.size(); i += 256)
    log.append(std::span(samples).subspan(i, std::min<std::size_t>(256, samples.size() - i)));
  ASSERT_EQ(log.trouble(), "");
  EXPECT_EQ(log.size(), samples.size());
  expect_equal(read_back(log), samples);
  expect_equal(read_back(log), samples);
}

TEST(SampleLog, GoesOnAfterItWasRead) {
  std::mt19937_64 random(23);
  const auto samples = run_of(30'000, random);
  const auto half = samples.size() / 2;
  SampleLog log;
  const auto append = [&](std::size_t from, std::size_t to) {
    for (; from < to; from += 250)
      log.append(std::span(samples).subspan(from, std::min<std::size_t>(250, to - from)));
  };
  append(0, half);
  EXPECT_EQ(read_back(log).size(), half);
  append(half, samples.size());
  expect_equal(read_back(log), samples);
}

}  // namespace
}  // namespace prengdl
