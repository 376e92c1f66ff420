// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace prengdl {

static_assert(std::endian::native == std::endian::little,
              "chunks and records are little-endian: other machines need to swap here");

/// Appends a number as it lies in memory.
template <std::integral Number>
void put(std::vector<std::byte>& bytes, Number number) {
  const auto* const raw = reinterpret_cast<const std::byte*>(&number);
  bytes.insert(bytes.end(), raw, raw + sizeof number);
}

/// Reads what put() wrote and never past the end: once anything is missing, everything is 0 or
/// empty and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <std::integral Number>
  Number get() {
    Number number{};
    const auto raw = take(sizeof number);
    if (!raw.empty()) std::memcpy(&number, raw.data(), sizeof number);
    return number;
  }

  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) {
      rest_ = {};
      ok_ = false;
      return {};
    }
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  bool ok() const { return ok_; }
  std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

/// CRC-32 as in zip and Ethernet: distinguishes a torn or altered file from a whole one.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes)
      state_ = table[(state_ ^ static_cast<std::uint32_t>(byte)) & 0xFF] ^ state_ >> 8;
  }
  std::uint32_t value() const { return ~state_; }

 private:
  static constexpr std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      std::uint32_t entry = i;
      for (int bit = 0; bit < 8; ++bit) entry = entry >> 1 ^ (entry & 1 ? 0xEDB88320U : 0);
      entries[i] = entry;
    }
    return entries;
  }();
  std::uint32_t state_ = ~std::uint32_t{0};
};

}  // namespace prengdl
