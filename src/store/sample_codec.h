// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/error.h"
#include "model/reading.h"

namespace prengdl {

/// Some thousand samples of a run, compressed, as they lie in a record and in the database.
struct SampleChunk {
  std::span<const std::byte> bytes;
  std::int64_t first_ns{};  // the earliest and the latest time in it, CLOCK_MONOTONIC
  std::int64_t last_ns{};
  std::uint32_t count{};
};

/// The bytes of a chunk live until the call returns.
using TakeChunk = std::function<void(const SampleChunk&)>;

/// A sample: the place of its meter in the run's list of meters, and what it gave.
using TakeSample = std::function<void(std::uint16_t meter, const Reading& reading)>;

/// No chunk holds more: so what the bytes of a chunk can make its reader allocate is bounded.
constexpr std::uint32_t most_samples_in_chunk = 1 << 16;

/// Packs samples into chunks of two to three bytes per sample (docs/reference/schema.md has the
/// layout). Holds one chunk of them in memory, however long the run is.
class SampleWriter {
 public:
  /// `sink` gets each chunk as soon as it is full.
  explicit SampleWriter(TakeChunk sink, std::uint32_t samples_per_chunk = 1 << 15);
  SampleWriter(SampleWriter&&) noexcept;
  SampleWriter& operator=(SampleWriter&&) noexcept;
  ~SampleWriter();

  void add(std::uint16_t meter, const Reading& reading);

  /// Hands over the last chunk, if anything is left for it.
  void finish();

 private:
  struct Encoder;
  std::unique_ptr<Encoder> encoder_;
  TakeChunk sink_;
  std::uint32_t samples_per_chunk_;
};

/// Unpacks chunks; keeps its memory from one to the next.
class SampleReader {
 public:
  SampleReader();
  SampleReader(SampleReader&&) noexcept;
  SampleReader& operator=(SampleReader&&) noexcept;
  ~SampleReader();

  /// All samples of a chunk in the order in which they were added. Bytes that are no chunk give an
  /// Error before any sample is handed out.
  Result<void> read(std::span<const std::byte> chunk, const TakeSample& take);

 private:
  struct Decoder;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace prengdl
