// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/foreign.h"

namespace prengdl {

/// One command as hyperfine --export-json writes it.
struct HyperfineResult {
  struct Run {
    double seconds = 0;
    std::optional<int> exit_code;
    std::optional<std::uint64_t> memory_bytes;
  };
  std::string command;
  std::map<std::string, std::string> parameters;
  std::vector<Run> runs;
};

/// Throws an Error with line and column for what is no JSON, and with the way to the value
/// (/results/0/times/3) for what is not hyperfine's.
std::vector<HyperfineResult> parse_hyperfine(const ForeignText& source);

}  // namespace prengdl
