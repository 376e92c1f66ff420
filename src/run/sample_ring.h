// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include "model/reading.h"

namespace prengdl {

/// One reading and the meter it is of (its place in the run's list of meters).
struct Sample {
  Reading reading;
  std::uint16_t meter{};
};

/// Fixed chunks from one sampling thread to one reader. The sampler never waits, allocates or
/// locks: when the reader is too late, samples are counted as lost.
class SampleRing {
 public:
  static constexpr std::size_t chunk_size = 256;
  static constexpr std::size_t chunks = 64;

  // The memory is not touched before samples come: clearing it would cost more than a short run.
  SampleRing() : slots_(std::make_unique_for_overwrite<Slot[]>(chunks)) {}

  /// Sampler: adds one sample.
  void push(const Sample& sample) noexcept {
    Slot& slot = slots_[filling_ % chunks];
    if (count_ == 0 && filling_ - drained_.load(std::memory_order_acquire) >= chunks) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    std::memcpy(slot.bytes + sizeof(Sample) * count_++, &sample, sizeof sample);
    if (count_ == chunk_size) publish();
  }

  /// Sampler: hands over a chunk that is not full. At the end of a run, and now and then before.
  void publish() noexcept {
    if (count_ == 0) return;
    slots_[filling_ % chunks].count = count_;
    count_ = 0;
    ++filling_;
    published_.store(filling_, std::memory_order_release);
  }

  /// Reader: calls take(std::span<const Sample>) for each published chunk.
  template <class Take>
  void drain(Take&& take) {
    std::uint64_t next = drained_.load(std::memory_order_relaxed);
    while (next < published_.load(std::memory_order_acquire)) {
      const Slot& slot = slots_[next % chunks];
      take(std::span<const Sample>(reinterpret_cast<const Sample*>(slot.bytes), slot.count));
      drained_.store(++next, std::memory_order_release);
    }
  }

  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::size_t count;
    alignas(Sample) std::byte bytes[sizeof(Sample) * chunk_size];
  };
  static_assert(std::is_trivially_copyable_v<Sample>);
  std::unique_ptr<Slot[]> slots_;
  std::size_t count_ = 0;      // in the slot that is being filled
  std::uint64_t filling_ = 0;  // its number
  std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> drained_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace prengdl
