// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace prengdl {

/// A function as cProfile names it, with what was counted. The views live as long as the profile.
struct ProfiledFunction {
  std::string_view file;  // "~" for a function that is written in C
  std::int64_t line = 0;
  std::string_view name;
  std::uint64_t calls = 0;            // all of them
  std::uint64_t primitive_calls = 0;  // without those that a recursion made
  Seconds own{};                      // without the functions that it called
  Seconds cumulative{};               // with them
  bool is_listed = true;  // false: known only as the caller of others, nothing was counted
};

/// The calls of one function by another.
struct CallEdge {
  std::uint32_t caller = 0;  // places in CallProfile::functions
  std::uint32_t callee = 0;
  std::uint64_t calls = 0;
  std::uint64_t primitive_calls = 0;
  /// Of the callee, in these calls. Python's `profile` module counts calls but not their time.
  std::optional<Seconds> own, cumulative;
};

/// What a cProfile dump holds. Copies share the names.
struct CallProfile {
  std::vector<ProfiledFunction> functions;  // in the order of the dump
  std::vector<CallEdge> edges;              // by callee
  std::shared_ptr<const std::string> bytes;
};

/// The profile in a dump of cProfile or profile, of Python 2 or 3. Errors name the byte.
Result<CallProfile> parse_profile(std::string bytes);

/// The same from a file, which the Error names too.
Result<CallProfile> read_profile(const std::filesystem::path& path);

}  // namespace prengdl
