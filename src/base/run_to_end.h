// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace prengdl {

/// A program that is run for what it does, not to be measured: uv, pip, podman.
struct ProgramCall {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> variables{};  // added to our own
  std::filesystem::path directory{};                             // ours when empty
  std::filesystem::path log{};                                   // what it says is added there
  /// Called a few times a second with the last line that it said. May be null.
  std::function<void(const std::string& line)> tell{};
  std::size_t keeps = 1 << 16;  // bytes of the end of what it says
};

struct ProgramEnd {
  int exit_code = 0;   // 128 and the signal, as a shell counts
  std::string output;  // the last of what it said, both streams

  bool is_good() const { return exit_code == 0; }
};

/// Runs it to its end, without anything to read. Throws an Error if it cannot be started.
ProgramEnd run_to_end(const ProgramCall& call);

}  // namespace prengdl
