// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace prengdl {

/// What an environment says of itself. It is written when all is installed and has been tried:
/// without it an environment is not complete.
struct EnvironmentMark {
  std::string lock_hash;  // SHA-256 of the lock that it was made from
  std::string tool;       // "uv 0.13.7", "pip 23.0.1"
  std::string python;     // "3.11.2"
  std::string made_at;
  std::uint64_t bytes = 0;
  std::string check;     // JSON that the check printed
  bool compiled = true;  // its packages, to bytecode
};

/// The file in an environment that holds the mark.
std::filesystem::path mark_file(const std::filesystem::path& environment);

/// Nothing where there is no mark that can be read.
std::optional<EnvironmentMark> read_mark(const std::filesystem::path& environment);

/// The mark is there in whole or not at all.
void write_mark(const std::filesystem::path& environment, const EnvironmentMark& mark);

/// The JSON object that a check printed, on one line: in its output the last line that is one.
/// Nothing if there is none.
std::optional<std::string> check_in(const std::string& output);

/// A text of that object; empty if it has none of this name.
std::string text_in_check(const std::string& check, const std::string& name);

}  // namespace prengdl
