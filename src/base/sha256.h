// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace prengdl {

/// SHA-256 (FIPS 180-4) of what is added, in any number of pieces.
class Sha256 {
 public:
  void add(std::string_view bytes);

  /// 64 hexadecimal digits of all that was added so far; nothing can be added afterwards.
  std::string hex();

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> waiting_{};  // less than a block
  std::size_t held_ = 0;                     // bytes of it
  std::uint64_t length_ = 0;                 // bytes in all
};

std::string sha256_of(std::string_view bytes);

/// Of a file of any size, which is not kept in memory.
Result<std::string> sha256_of_file(const std::filesystem::path& file);

}  // namespace prengdl
