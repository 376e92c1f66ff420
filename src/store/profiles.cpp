// SPDX-License-Identifier: Apache-2.0
#include "store/profiles.h"

#include "base/escaping.h"
#include "base/strings.h"

namespace prengdl {
namespace {

/// A level is any text; as the name of a file all but plain characters become %NN.
std::string as_file_name(const std::string& level) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
  };
  return level.empty() ? "%" : percent_encoded(level, is_plain);
}

}  // namespace

std::filesystem::path profile_of(const std::filesystem::path& result, const Cell& cell) {
  auto path = result / "profiles";
  for (const auto& level : cell) path /= as_file_name(level);
  path += ".prof";
  return path;
}

}  // namespace prengdl
