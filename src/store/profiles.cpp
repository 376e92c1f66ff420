// SPDX-License-Identifier: Apache-2.0
#include "store/profiles.h"

#include <fmt/core.h>

#include "base/text.h"

namespace prengdl {
namespace {

/// A level is any text; as the name of a file all but plain characters become %NN.
std::string as_file_name(const std::string& level) {
  std::string name;
  for (const char c : level) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
    name += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return name.empty() ? "%" : name;
}

}  // namespace

std::filesystem::path profile_of(const std::filesystem::path& result, const Cell& cell) {
  auto path = result / "profiles";
  for (const auto& level : cell) path /= as_file_name(level);
  path += ".prof";
  return path;
}

}  // namespace prengdl
