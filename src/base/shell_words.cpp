// SPDX-License-Identifier: Apache-2.0
#include "base/shell_words.h"

#include <fmt/core.h>

#include <utility>

namespace prengdl {
namespace {

constexpr std::string_view white = " \t\r\n\v\f";

}  // namespace

Result<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> found;
  std::string word;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (white.find(c) != std::string_view::npos) {
      if (in_word) found.push_back(std::exchange(word, {}));
      in_word = false;
    } else if (c == '\'' || c == '"') {
      in_word = true;
      for (++i; i < text.size() && text[i] != c; ++i) {
        const bool escapes =
            c == '"' && text[i] == '\\' && i + 1 < text.size() &&
            std::string_view("\"\\$`\n").find(text[i + 1]) != std::string_view::npos;
        if (escapes) ++i;
        word += text[i];
      }
      if (i == text.size())
        return failure(fmt::format("a {} is not closed in: {}", c, text), "close the quote");
    } else if (c == '\\') {
      if (++i == text.size())
        return failure(fmt::format("a backslash ends: {}", text), "remove it or double it");
      in_word = true;
      word += text[i];
    } else {
      in_word = true;
      word += c;
    }
  }
  if (in_word) found.push_back(word);
  return found;
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(safe) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace prengdl
