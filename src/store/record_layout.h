// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prengdl {

// What the writer and the reader of records share.
//
//   record:  "prengdl-record 1", then blocks
//   samples: u8 'S', u32 size, i64 first_ns, i64 last_ns, u32 count, `size` bytes: a chunk
//   run:     u8 'R', u32 size, `size` bytes: the run as JSON; the last block but one
//   end:     u8 'E', u64 size of the whole file, u32 CRC-32 of all bytes before it
//
// All numbers are little-endian.
namespace record_layout {

constexpr std::string_view family = "prengdl-record ";
constexpr std::string_view magic = "prengdl-record 1";

constexpr std::uint8_t samples_block = 'S';
constexpr std::uint8_t run_block = 'R';
constexpr std::uint8_t end_block = 'E';

constexpr std::size_t samples_head = 1 + 4 + 8 + 8 + 4;
constexpr std::size_t run_head = 1 + 4;
constexpr std::size_t end_size = 1 + 8 + 4;

}  // namespace record_layout
}  // namespace prengdl
