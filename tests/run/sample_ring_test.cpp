// SPDX-License-Identifier: Apache-2.0
#include "run/sample_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace prengdl {
namespace {

constexpr std::uint64_t capacity = SampleRing::chunk_size * SampleRing::chunks;

Sample numbered(std::uint64_t number) {
  return {{.at_ns = static_cast<std::int64_t>(number), .raw = number}, 7};
}

std::vector<std::uint64_t> drained(SampleRing& ring) {
  std::vector<std::uint64_t> numbers;
  ring.drain([&](std::span<const Sample> samples) {
    for (const auto& sample : samples) numbers.push_back(sample.reading.raw);
  });
  return numbers;
}

TEST(SampleRing, HandsOverFullChunks) {
  SampleRing ring;
  for (std::uint64_t i = 0; i < SampleRing::chunk_size - 1; ++i) ring.push(numbered(i));
  EXPECT_TRUE(drained(ring).empty()) << "a chunk that is not full waits";
  ring.push(numbered(SampleRing::chunk_size - 1));
  const auto numbers = drained(ring);
  ASSERT_EQ(numbers.size(), SampleRing::chunk_size);
  for (std::uint64_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
  EXPECT_TRUE(drained(ring).empty()) << "each sample comes once";
}

TEST(SampleRing, HandsOverAPartOfAChunkWhenTold) {
  SampleRing ring;
  ring.publish();
  EXPECT_TRUE(drained(ring).empty()) << "nothing published is nothing to read";
  ring.push(numbered(1));
  ring.push(numbered(2));
  ring.publish();
  ring.push(numbered(3));
  EXPECT_EQ(drained(ring), (std::vector<std::uint64_t>{1, 2}));
  ring.publish();
  EXPECT_EQ(drained(ring), std::vector<std::uint64_t>{3});
}

TEST(SampleRing, CountsWhatALateReaderLost) {
  SampleRing ring;
  for (std::uint64_t i = 0; i < capacity + 1000; ++i) ring.push(numbered(i));
  EXPECT_EQ(ring.lost(), 1000u);
  const auto numbers = drained(ring);
  ASSERT_EQ(numbers.size(), capacity);
  for (std::uint64_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(numbers[i], i) << "what is kept is in order";
}

TEST(SampleRing, GoesOnAfterALoss) {
  SampleRing ring;
  for (std::uint64_t i = 0; i < capacity + 5; ++i) ring.push(numbered(i));
  EXPECT_EQ(drained(ring).size(), capacity);
  for (std::uint64_t i = 0; i < 10; ++i) ring.push(numbered(100'000 + i));
  ring.publish();
  const auto numbers = drained(ring);
  ASSERT_EQ(numbers.size(), 10u);
  EXPECT_EQ(numbers.front(), 100'000u);
  EXPECT_EQ(ring.lost(), 5u);
}

TEST(SampleRing, GoesRoundManyTimes) {
  SampleRing ring;
  std::uint64_t next = 0;
  for (std::uint64_t round = 0; round < 300; ++round) {
    for (std::uint64_t i = 0; i < 1000; ++i) ring.push(numbered(round * 1000 + i));
    ring.publish();
    for (const auto number : drained(ring)) ASSERT_EQ(number, next++);
  }
  EXPECT_EQ(next, 300'000u);
  EXPECT_EQ(ring.lost(), 0u);
}

/// Takes numbered samples and sees whether they come in order and undamaged.
class Receiver {
 public:
  void operator()(std::span<const Sample> samples) {
    for (const auto& sample : samples) {
      sound_ = sound_ && sample.reading.at_ns > last_ && sample.meter == 7 &&
               sample.reading.raw == static_cast<std::uint64_t>(sample.reading.at_ns);
      last_ = sample.reading.at_ns;
    }
    received_ += samples.size();
  }
  bool sound() const { return sound_; }
  std::uint64_t received() const { return received_; }

 private:
  bool sound_ = true;
  std::int64_t last_ = -1;
  std::atomic<std::uint64_t> received_{0};
};

TEST(SampleRing, LosesNothingBetweenTwoThreadsThatKeepPace) {
  SampleRing ring;
  Receiver receiver;
  constexpr std::uint64_t total = 200'000;
  std::thread sampler([&] {
    for (std::uint64_t i = 0; i < total; ++i) {
      while (i - receiver.received() > capacity / 4) {
        ring.publish();
        std::this_thread::yield();
      }
      ring.push(numbered(i));
    }
    ring.publish();
  });
  while (receiver.received() < total) {
    ring.drain(receiver);
    std::this_thread::yield();
  }
  sampler.join();
  EXPECT_TRUE(receiver.sound());
  EXPECT_EQ(receiver.received(), total);
  EXPECT_EQ(ring.lost(), 0u);
}

TEST(SampleRing, AccountsForEverySampleWhenTheReaderIsLate) {
  SampleRing ring;
  Receiver receiver;
  constexpr std::uint64_t total = 200'000;
  std::atomic<bool> done{false};
  std::thread sampler([&] {
    for (std::uint64_t i = 0; i < total; ++i) ring.push(numbered(i));
    ring.publish();
    done = true;
  });
  while (!done) {
    ring.drain(receiver);
    std::this_thread::yield();
  }
  sampler.join();
  ring.drain(receiver);
  EXPECT_TRUE(receiver.sound());
  EXPECT_EQ(receiver.received() + ring.lost(), total);
  EXPECT_GE(receiver.received(), capacity);
}

}  // namespace
}  // namespace prengdl
