// SPDX-License-Identifier: Apache-2.0
#include "base/escaping.h"

#include <fmt/core.h>

#include <charconv>

#include "base/strings.h"

namespace prengdl {

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    // A terminal may obey the control characters of Latin-1 as well.
    const bool is_safe = character && character->code >= 0x20 &&
                         !(character->code >= 0x7F && character->code < 0xA0);
    const std::size_t length = is_safe ? character->length : 1;
    if (is_safe)
      safe += text.substr(0, length);
    else
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(length);
  }
  return safe;
}

std::string percent_encoded(std::string_view text, bool (*stays)(char)) {
  std::string encoded;
  for (const char c : text) {
    if (stays(c))
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned char byte{};
    const auto digits = text.substr(i + 1, 2);
    const char* end = digits.data() + digits.size();
    if (digits.size() != 2 || std::from_chars(digits.data(), end, byte, 16).ptr != end)
      return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

std::string toml_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\u{:04X}", byte);
    else
      result += c;
  }
  return result + "\"";
}

}  // namespace prengdl
