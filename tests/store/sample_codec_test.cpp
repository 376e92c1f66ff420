// SPDX-License-Identifier: Apache-2.0
#include "store/sample_codec.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <limits>
#include <random>
#include <vector>

namespace prengdl {
namespace {

struct Kept {
  std::uint16_t meter{};
  Reading reading;
};

struct Chunk {
  std::vector<std::byte> bytes;
  std::int64_t first_ns{}, last_ns{};
  std::uint32_t count{};
};

std::vector<Chunk> packed(const std::vector<Kept>& samples, std::uint32_t per_chunk = 1 << 15) {
  std::vector<Chunk> chunks;
  SampleWriter writer(
      [&](const SampleChunk& chunk) {
        chunks.push_back(
            {{chunk.bytes.begin(), chunk.bytes.end()}, chunk.first_ns, chunk.last_ns, chunk.count});
      },
      per_chunk);
  for (const auto& sample : samples) writer.add(sample.meter, sample.reading);
  writer.finish();
  return chunks;
}

void expect_round_trip(const std::vector<Kept>& samples, std::uint32_t per_chunk = 1 << 15) {
  SampleReader reader;
  std::size_t next = 0;
  for (const auto& chunk : packed(samples, per_chunk)) {
    const auto done = reader.read(chunk.bytes, [&](std::uint16_t meter, const Reading& reading) {
      ASSERT_LT(next, samples.size());
      const Kept& expected = samples[next++];
      ASSERT_EQ(meter, expected.meter) << "sample " << next;
      ASSERT_EQ(reading.at_ns, expected.reading.at_ns) << "sample " << next;
      ASSERT_EQ(reading.raw, expected.reading.raw) << "sample " << next;
      ASSERT_EQ(reading.status, expected.reading.status) << "sample " << next;
      ASSERT_EQ(reading.mark, expected.reading.mark) << "sample " << next;
      ASSERT_EQ(reading.slack_ns, expected.reading.slack_ns) << "sample " << next;
    });
    ASSERT_TRUE(done) << done.error().what();
  }
  EXPECT_EQ(next, samples.size());
}

/// Anything at all: small and large differences, every status, times that go backwards.
std::vector<Kept> anything(std::size_t count, std::mt19937_64& random) {
  std::vector<Kept> samples(count);
  for (auto& [meter, reading] : samples) {
    meter = static_cast<std::uint16_t>(random() >> (48 + random() % 16));
    reading.at_ns = static_cast<std::int64_t>(random() >> random() % 64);
    reading.raw = random() >> random() % 64;
    reading.status = static_cast<ReadStatus>(random() % 5);
    reading.mark = static_cast<Mark>(random() % 2);
    if (random() % 2) reading.slack_ns = static_cast<std::uint32_t>(random() >> random() % 64);
  }
  return samples;
}

TEST(Samples, OfNothingMakeNoChunk) { EXPECT_TRUE(packed({}).empty()); }

TEST(Samples, ComeBackWithEveryField) {
  std::vector<Kept> samples;
  for (const auto status :
       {ReadStatus::ok, ReadStatus::failed, ReadStatus::gone, ReadStatus::denied,
        ReadStatus::not_a_number, ReadStatus::no_answer, ReadStatus::stuck})
    for (const auto mark : {Mark::tick, Mark::edge})
      for (const std::uint32_t slack : {0u, 700u, std::numeric_limits<std::uint32_t>::max()})
        samples.push_back(
            {3, {.at_ns = 1000, .raw = 42, .status = status, .mark = mark, .slack_ns = slack}});
  expect_round_trip(samples);
}

TEST(Samples, KeepTheExtremesOf64Bits) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  std::vector<Kept> samples;
  for (const std::int64_t at : {std::int64_t{0}, highest, lowest, highest, std::int64_t{-1}})
    for (const std::uint64_t raw : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(),
                                    std::uint64_t{1} << 63, std::uint64_t{1}})
      samples.push_back({std::numeric_limits<std::uint16_t>::max(), {.at_ns = at, .raw = raw}});
  expect_round_trip(samples);
}

TEST(Samples, KeepAnythingAtAllInChunksOfAnySize) {
  std::mt19937_64 random(31);
  const auto samples = anything(20'000, random);
  for (const std::uint32_t per_chunk : {1u << 15, 1u << 20, 4097u, 100u})
    expect_round_trip(samples, per_chunk);
  expect_round_trip({samples.begin(), samples.begin() + 50}, 1);
}

TEST(Samples, OfCountersInQuantaComeBackAcrossAWrapAndAFault) {
  for (const std::uint64_t quantum : {61035u, 15258u, 15300u, 976562u, 61036u}) {
    std::vector<Kept> samples;
    std::uint64_t count = 4'000'000'000;
    for (std::int64_t tick = 0; tick < 3000; ++tick) {
      count = (count + 700 + static_cast<std::uint64_t>(tick * 31 % 200)) & 0xFFFFFFFF;
      samples.push_back({0, {.at_ns = tick * 1'000'000, .raw = count * quantum / 1000}});
    }
    expect_round_trip(samples);
    samples[1500].reading.raw += 1;
    expect_round_trip(samples);
  }
}

TEST(Samples, OfManyMetersFitIntoOneChunk) {
  std::vector<Kept> samples;
  for (std::uint32_t meter = 0; meter < 60'000; ++meter)
    samples.push_back({static_cast<std::uint16_t>(meter), {.at_ns = meter, .raw = meter}});
  expect_round_trip(samples, most_samples_in_chunk);
}

TEST(Samples, ChunksTellTheirTimes) {
  const auto chunks = packed({{0, {.at_ns = 500}}, {0, {.at_ns = 100}}, {1, {.at_ns = 900}}}, 2);
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[0].first_ns, 100);
  EXPECT_EQ(chunks[0].last_ns, 500);
  EXPECT_EQ(chunks[0].count, 2u);
  EXPECT_EQ(chunks[1].first_ns, 900);
  EXPECT_EQ(chunks[1].count, 1u);
}

TEST(Samples, ThatAreCutGiveAnErrorAndNoSample) {
  std::mt19937_64 random(32);
  const auto chunk = packed(anything(300, random)).at(0).bytes;
  SampleReader reader;
  for (std::size_t size = 0; size < chunk.size(); ++size) {
    const auto done = reader.read(std::span(chunk).first(size), [](std::uint16_t, const Reading&) {
      FAIL() << "a sample of a chunk that is cut";
    });
    ASSERT_FALSE(done) << "cut to " << size << " bytes";
  }
  auto longer = chunk;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(reader.read(longer, [](std::uint16_t, const Reading&) {}));
}

TEST(Samples, ThatAreAlteredGiveAnErrorAndNoCrash) {
  std::mt19937_64 random(33);
  const auto chunk = packed(anything(300, random)).at(0).bytes;
  SampleReader reader;
  std::size_t refused = 0;
  constexpr std::size_t rounds = 8000;
  for (std::size_t round = 0; round < rounds; ++round) {
    auto altered = chunk;
    for (std::size_t i = 0; i <= round % 4; ++i)
      altered[random() % altered.size()] = static_cast<std::byte>(random());
    std::uint32_t count = 0;
    if (!reader.read(altered, [&](std::uint16_t, const Reading&) { ++count; })) ++refused;
    ASSERT_LE(count, most_samples_in_chunk);
  }
  EXPECT_GT(refused, rounds * 9 / 10);
}

/// The chunk with other columns inside, whole and with the right checksum.
std::vector<std::byte> with_columns(const std::vector<std::byte>& chunk,
                                    const std::vector<std::byte>& columns) {
  std::vector<std::byte> altered(chunk.begin(), chunk.begin() + 5);
  altered.resize(5 + ZSTD_compressBound(columns.size()));
  altered.resize(
      5 + ZSTD_compress(altered.data() + 5, altered.size() - 5, columns.data(), columns.size(), 1));
  return altered;
}

TEST(Samples, WhoseColumnsLieGiveAnErrorAndNoCrash) {
  std::mt19937_64 random(35);
  const auto samples = anything(60, random);
  const auto chunk = packed(samples).at(0).bytes;
  std::vector<std::byte> columns(ZSTD_getFrameContentSize(chunk.data() + 5, chunk.size() - 5));
  ASSERT_EQ(ZSTD_decompress(columns.data(), columns.size(), chunk.data() + 5, chunk.size() - 5),
            columns.size());
  SampleReader reader;
  const auto count_of = [&](const std::vector<std::byte>& bytes) {
    std::size_t count = 0;
    const auto done = reader.read(bytes, [&](std::uint16_t, const Reading&) { ++count; });
    EXPECT_TRUE(done || count == 0);
    return count;
  };
  ASSERT_EQ(count_of(with_columns(chunk, columns)), samples.size());
  for (std::size_t size = 0; size < columns.size(); ++size)
    ASSERT_EQ(
        count_of(with_columns(chunk, {columns.begin(), columns.begin() + static_cast<long>(size)})),
        0u);
  std::size_t refused = 0;
  for (int round = 0; round < 8000; ++round) {
    auto altered = columns;
    // Mostly the heads: the rest are values, of which any is as good as another.
    for (int i = 0; i <= round % 3; ++i)
      altered[random() % (round % 2 ? altered.size() : 300)] = static_cast<std::byte>(random());
    const auto count = count_of(with_columns(chunk, altered));
    ASSERT_TRUE(count == 0 || count == samples.size());
    if (count == 0) ++refused;
  }
  EXPECT_GT(refused, 500u);
  // What a small chunk can claim is bounded by its count.
  EXPECT_EQ(count_of(with_columns(chunk, std::vector<std::byte>(64 << 20))), 0u);
}

TEST(Samples, OfRandomBytesGiveAnError) {
  std::mt19937_64 random(34);
  SampleReader reader;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes(random() % 200);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    if (!bytes.empty()) bytes[0] = std::byte{1};
    EXPECT_FALSE(reader.read(bytes, [](std::uint16_t, const Reading&) {}));
  }
}

}  // namespace
}  // namespace prengdl
