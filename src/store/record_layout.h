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
//   emitted:    u8 'T', u32 size, `size` bytes: some of the run's spans and metrics as JSON
//   run:     u8 'R', u32 size, `size` bytes: all else of the run as JSON; the last block but one
//   end:     u8 'E', u64 size of the whole file, u32 CRC-32 of all bytes before it
//
// Samples, then emitted, then the run, then the end. All numbers are little-endian. A workload may
// tell a million spans: in blocks of a few thousand they never stand in memory as JSON all at once.
namespace record_layout {

constexpr std::string_view family = "prengdl-record ";
constexpr std::string_view magic = "prengdl-record 1";

constexpr std::uint8_t samples_block = 'S';
constexpr std::uint8_t emitted_block = 'T';
constexpr std::uint8_t run_block = 'R';
constexpr std::uint8_t end_block = 'E';

constexpr std::size_t samples_head = 1 + 4 + 8 + 8 + 4;
constexpr std::size_t text_head = 1 + 4;
constexpr std::size_t end_size = 1 + 8 + 4;

constexpr std::size_t emitted_per_block = 4096;  // spans, or metrics

}  // namespace record_layout
}  // namespace prengdl
