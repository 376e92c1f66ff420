// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <utf8.h>

#include <algorithm>
#include <span>

namespace prengdl {
namespace {

constexpr std::string_view white = " \t\r\n\v\f";

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (;;) {
    const auto first = text.find_first_not_of(white);
    if (first == std::string_view::npos) return found;
    text.remove_prefix(first);
    const auto end = text.find_first_of(white);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end);
  }
}

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto number_end = [](const std::string& s, std::size_t from) {
        while (from < s.size() && is_digit(s[from])) ++from;
        return from;
      };
      const auto first = std::string_view(a).substr(i, number_end(a, i) - i);
      const auto second = std::string_view(b).substr(j, number_end(b, j) - j);
      const auto strip = [](std::string_view s) {
        return s.substr(std::min(s.find_first_not_of('0'), s.size() - 1));
      };
      const auto x = strip(first);
      const auto y = strip(second);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
      i += first.size();
      j += second.size();
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::string listed(const std::vector<std::string>& items) {
  if (items.size() < 2) return items.empty() ? "" : items.front();
  return joined(std::span(items).first(items.size() - 1), ", ") + " and " + items.back();
}

std::optional<Utf8Character> first_character(std::string_view text) {
  const auto front = text.substr(0, 4);  // no character is longer
  if (text.empty() || utf8::find_invalid(front.begin(), front.end()) == front.begin())
    return std::nullopt;
  auto at = front.begin();
  const auto code = static_cast<char32_t>(utf8::unchecked::next(at));
  return Utf8Character{code, static_cast<std::size_t>(at - front.begin())};
}

std::string shortened(const std::string& text, std::size_t most) {
  std::size_t characters = 0;
  std::size_t cut = 0;  // where the last character that leaves room for the ellipsis ends
  for (std::size_t i = 0; i < text.size();) {
    if (characters + 1 == most) cut = i;
    if (++characters > most) return text.substr(0, cut) + "…";
    const auto character = first_character(std::string_view(text).substr(i));
    i += character ? character->length : 1;
  }
  return text;
}

}  // namespace prengdl
