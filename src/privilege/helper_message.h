// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace prengdl {

/// All that the privileged helper does. SECURITY.md lists them for users.
enum class Verb : std::uint32_t {
  open_meter = 1,   // words: class, entry, attribute -> a descriptor for reading
  open_perf_event,  // numbers: config, cpu -> a descriptor of the PMU `power`
  watch_exit,       // numbers: process of the calling user -> a descriptor
  keep_awake,       // numbers: 1 to keep idle CPUs of a guest awake, 0 to let them sleep
  energy_filter,    // -> value: whether the processor blurs RAPL
  set_machine,      // words: governor; numbers: turbo, GPU clock -> text: what was recovered
  restore_machine,  // -> text: what could not be restored
  drop_caches,
  fix,  // numbers: of doctor's fixes
};

/// What a message has room for, and nothing longer: every message has the same size.
struct HelperRequest {
  Verb verb{};
  std::uint32_t reserved = 0;  // must be 0
  std::array<std::int64_t, 2> numbers{};
  std::array<std::array<char, 40>, 3> words{};  // each ends with zeros
};

struct HelperReply {
  std::int32_t error = 0;  // errno; 0: done. Other errors are in `text`.
  std::uint32_t has_descriptor = 0;
  std::int64_t value = 0;
  std::array<char, 16000> text{};  // lines, or what went wrong
  std::array<char, 800> hint{};
};

static_assert(std::is_trivially_copyable_v<HelperRequest> &&
              std::is_trivially_copyable_v<HelperReply>);

/// Of `set_machine`.
enum TurboChoice : std::int64_t { turbo_as_it_is = -1, turbo_off = 0, turbo_on = 1 };

/// The text in a field, cut where it is too long for it.
template <std::size_t size>
void put_text(std::array<char, size>& field, std::string_view text) {
  field = {};
  text.copy(field.data(), size - 1);
}

template <std::size_t size>
std::string text_in(const std::array<char, size>& field) {
  const std::string_view all(field.data(), size);
  return std::string(all.substr(0, all.find('\0')));
}

/// Whether a request is one that our own program can have sent: a known verb, and words that end
/// with zeros.
bool is_well_formed(const HelperRequest& request);

}  // namespace prengdl
