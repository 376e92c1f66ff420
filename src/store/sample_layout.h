// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace prengdl {

// What the writer and the reader of chunks share.
//
// Counters advance with noise, and so do the time stamps of their readings. What is left of them
// after taking differences is a number whose low byte is noise and whose high bytes hardly change.
// So each meter gets columns of its own, each column is cut into planes (all low bytes, then all
// second bytes, ...), and zstd gets an entropy table for each plane. RAPL counts in quanta such as
// 61.035 uJ, which powercap gives as whole microjoules: where a series is of that kind, its counts
// are stored, which scatter over sixty times fewer values.
//
//   chunk:   u8 version, u32 count, one zstd frame with these columns:
//   columns: i64 time of the first sample, u32 meters,
//            for each meter: u16 place in the run's list, u32 samples, u32 quantum, u64 first
//            count, column of each sample's meter, column of flags, column of the slacks that are
//            not 0, for each meter: column of gaps to the sample before (of any meter), column of
//            steps
//   column:  u8 width, then `width` planes of a byte for each value
//
// Steps are those of the counts, and a raw value is its count times the quantum over a thousand,
// rounded down; where the quantum is 0 it is the count itself. Gaps and steps are zigzag coded; all
// numbers are little-endian.
namespace sample_layout {

constexpr std::uint8_t version = 1;
constexpr std::size_t head_size = 1 + 4;

/// The columns of so many samples are never longer, whatever is in them.
constexpr std::size_t longest(std::size_t count) { return 64 + 48 * count; }

// What is rare about a sample is in one small number, which is 0 as a rule.
constexpr std::uint64_t status_mask = 7;
constexpr std::uint64_t edge_flag = 8;
constexpr std::uint64_t slack_flag = 16;

// Small differences of either sign become small numbers; wrapping arithmetic keeps 64 bits exact.
constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }

constexpr std::uint64_t raw_of(std::uint64_t count, std::uint32_t quantum) {
  return quantum == 0 ? count : count * quantum / 1000;
}

}  // namespace sample_layout
}  // namespace prengdl
