// SPDX-License-Identifier: Apache-2.0
//
// One hour at 1 kHz of four meters, from a source that does not wait, on the road that the samples
// of a run take: ring, log, figures, record, database.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>

#include "run/evaluate.h"
#include "run/sample_log.h"
#include "run/sample_ring.h"
#include "store/fixtures.h"

namespace prengdl {
namespace {

constexpr std::uint64_t hour_of_ticks = 3'600'000;
constexpr std::uint16_t meters = 4;

/// Like RAPL under load: the sampler wakes some microseconds late, a read takes one and a half,
/// power scatters by a tenth, and the counter moves in steps of 61 uJ.
class BusyCounters {
 public:
  template <class Take>
  void play(std::uint64_t ticks, Take&& take) {
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
      std::int64_t at = 1'000'000'000 + static_cast<std::int64_t>(tick) * 1'000'000 +
                        static_cast<std::int64_t>(4000 + 3000 * noise());
      for (std::uint16_t meter = 0; meter < meters; ++meter) {
        at += static_cast<std::int64_t>(1500 + 200 * noise());
        joules_[meter] += 0.06 * (1 + 0.1 * noise());
        const auto quanta = static_cast<std::uint64_t>(joules_[meter] / 61.035e-6);
        take(meter, Reading{.at_ns = at, .raw = quanta * 61035 / 1000});
      }
    }
  }

 private:
  /// About normal, and the same on every machine.
  double noise() {
    const std::uint64_t bits = random_();
    const auto sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
    return (static_cast<double>(sum) / 65536 - 2) * 1.732;
  }
  std::mt19937_64 random_{61};
  double joules_[meters]{};
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The most memory that this process had so far, in kB; 0 where /proc does not tell.
long peak_kilobytes() {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  return 0;
}

MeterInfo counter_of_microjoules() {
  MeterInfo info;
  info.id = "powercap/intel-rapl:0";
  info.domain = "package";
  info.kind = Kind::counter;
  info.quality = Quality::chip;
  info.unit = Unit::joule;
  info.counted = Counted::yes;
  info.step = 1e-6;
  info.quantum = 61e-6;
  info.update = Seconds{0.001};
  info.range = std::uint64_t{1} << 60;
  return info;
}

TEST(LongRun, OfAnHourAtOneKilohertzIsSmallAndQuickToRead) {
  FakeHost host;
  const auto directory = host.root() / "result";
  auto store = ResultStore::create(directory, small_study());
  const long before = peak_kilobytes();
  auto start = std::chrono::steady_clock::now();
  StoredRun run = short_run("hour");
  BusyCounters source;
  {
    SampleRing ring;
    SampleLog log;
    std::uint64_t pushed = 0;
    source.play(hour_of_ticks, [&](std::uint16_t meter, const Reading& reading) {
      ring.push({reading, meter});
      if (++pushed % 2000 == 0) {  // half a second of samples, as often as a run collects them
        ring.publish();
        ring.drain([&](std::span<const Sample> some) { log.append(some); });
      }
    });
    ASSERT_EQ(ring.lost(), 0u);
    ASSERT_EQ(log.size(), hour_of_ticks * meters);
    ASSERT_EQ(log.trouble(), "");

    const MeterInfo info = counter_of_microjoules();
    const std::vector<const MeterInfo*> infos(meters, &info);
    const std::int64_t begin = 1'100'000'000;
    const std::int64_t end = begin + 3'500'000'000'000;
    Emitted told;
    told.spans.push_back({"epoch", "1", begin, begin + 1'000'000'000'000});
    evaluate({infos, log, begin, begin, end, Seconds{0.001}, std::nullopt}, told, run.run);
    ASSERT_TRUE(run.run.energy.metered);
    // 60 W each; a power that scatters by a tenth per millisecond is even over an hour.
    EXPECT_NEAR(run.run.energy.metered->value.value, 4 * 60 * 3500, 50);
    ASSERT_EQ(run.run.spans.size(), 1u);
    EXPECT_NEAR(run.run.spans[0].energy.metered->value.value, 4 * 60 * 1000, 50);

    const auto record = store.record("hour");
    log.for_each([&](const Sample& sample) { record->add(sample.meter, sample.reading); });
    record->finish(run);
  }
  const double recorded = seconds_since(start);
  start = std::chrono::steady_clock::now();
  EXPECT_EQ(store.take_in(), 1u);
  const double taken = seconds_since(start);
  const long grown = peak_kilobytes() - before;

  start = std::chrono::steady_clock::now();
  std::uint64_t count = 0, sum = 0;
  store.samples("hour", [&](std::uint16_t, const Reading& reading) {
    ++count;
    sum += reading.raw;
  });
  const double read = seconds_since(start);
  EXPECT_EQ(count, hour_of_ticks * meters);

  std::uint64_t expected = 0;
  BusyCounters again;
  again.play(hour_of_ticks,
             [&](std::uint16_t, const Reading& reading) { expected += reading.raw; });
  EXPECT_EQ(sum, expected);

  store = ResultStore::open(directory, Access::read_only);  // closed: the log is in the database
  const auto bytes = std::filesystem::file_size(directory / "study.db");
  std::printf(
      "[          ] %.1f MB (%.2f bytes a sample), recorded in %.2f s, taken in in %.2f s, "
      "read in %.2f s, %ld kB more memory\n",
      static_cast<double>(bytes) * 1e-6, static_cast<double>(bytes) / static_cast<double>(count),
      recorded, taken, read, grown);
  EXPECT_LE(bytes, 60'000'000u);
  EXPECT_LT(read, 30) << "it should be below a second; a sanitised build on a busy machine may not";
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory for a while
  EXPECT_LT(grown, 50'000);
#endif
}

}  // namespace
}  // namespace prengdl
