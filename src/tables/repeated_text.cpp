// SPDX-License-Identifier: Apache-2.0
#include "tables/repeated_text.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "tables/terminal.h"

namespace prengdl {
namespace {

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string first_lines(const std::string& text, std::size_t rows) {
  const std::size_t all = count_lines(text);
  if (all < rows || rows < 3) return text;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 2 < rows; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end) + fmt::format("… and {} more\n", all - (rows - 2));
}

}  // namespace

RepeatedText::RepeatedText() : is_on_terminal_(can_overwrite(STDOUT_FILENO)) {}

void RepeatedText::show(const std::string& text) {
  write(is_on_terminal_ ? first_lines(text, rows_of(STDOUT_FILENO)) : text);
}

void RepeatedText::show_last(const std::string& text) { write(text); }

void RepeatedText::write(const std::string& text) {
  if (is_on_terminal_ && lines_ > 0) std::cout << "\x1b[" << lines_ << "F\x1b[J";
  std::cout << text << std::flush;
  lines_ = count_lines(text);
}

}  // namespace prengdl
