// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace prengdl {

/// Why a meter gave nothing at a tick. Words are made after the run.
enum class ReadStatus : std::uint8_t { ok, failed, gone, denied, not_a_number, no_answer, stuck };

/// How a reading came about: a tick of the sampler, or the moment at which a counter was seen to
/// change, which is sharper than any tick.
enum class Mark : std::uint8_t { tick, edge };

/// What a meter gave at one tick: plain data, so that sampling allocates nothing.
struct Reading {
  std::int64_t at_ns{};  // CLOCK_MONOTONIC
  std::uint64_t raw{};   // counter or gauge in the meter's own unit; a gauge is signed
  ReadStatus status = ReadStatus::ok;
  Mark mark = Mark::tick;
  std::uint32_t slack_ns{};  // of an edge: it happened at most this long before or after at_ns
};

std::string_view name_of(ReadStatus status);

}  // namespace prengdl
