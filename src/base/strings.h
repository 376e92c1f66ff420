// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

std::string_view trimmed(std::string_view text);

/// Of ASCII, whatever the locale says.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The parts between separators; "" has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The words between white space.
std::vector<std::string_view> words(std::string_view text);

/// The texts with the separator between them. `shown` makes the text of each, by default itself.
template <class Texts, class Shown = std::identity>
  requires(!std::convertible_to<Texts, std::string_view>)
std::string joined(const Texts& texts, std::string_view separator, Shown shown = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& one : texts) {
    if (!is_first) text += separator;
    text += std::invoke(shown, one);
    is_first = false;
  }
  return text;
}

/// "a, b and c".
std::string listed(const std::vector<std::string>& items);

/// "zone2" before "zone10".
bool natural_less(const std::string& a, const std::string& b);

/// A character of UTF-8 and how many bytes it has.
struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 1;
};

/// The character in front of a text; nothing if the text is empty or its first byte is broken.
std::optional<Utf8Character> first_character(std::string_view text);

/// At most `most` characters (of UTF-8, not bytes), with an ellipsis where something was cut off.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace prengdl
