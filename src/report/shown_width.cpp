// SPDX-License-Identifier: Apache-2.0
#include "report/shown_width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace prengdl {
namespace {

struct CodeRange {
  std::uint32_t first, last;
};

/// The blocks of East Asian wide characters and of emoji.
constexpr std::array<CodeRange, 11> wide{{{0x1100, 0x115F},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0xA4CF},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1F64F},
                                          {0x1F900, 0x1F9FF},
                                          {0x20000, 0x3FFFD}}};
constexpr std::array<CodeRange, 4> without_width{
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};

template <std::size_t N>
bool is_within(std::uint32_t code, const std::array<CodeRange, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

/// What stands in front of a text: a character or a sequence that changes the colour.
struct Piece {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

Piece piece_of(std::string_view text) {
  if (text.starts_with("\x1b[")) {
    const auto end = text.find_first_not_of("0123456789;", 2);
    return {end == std::string_view::npos ? text.size() : end + 1, 0};
  }
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 1 || length > text.size()) return {1, 1};
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {length, is_within(code, without_width) ? 0U : is_within(code, wide) ? 2U : 1U};
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Piece piece = piece_of(text);
    columns += piece.columns;
    text.remove_prefix(piece.bytes);
  }
  return columns;
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 2);
  std::vector<std::string> lines;
  while (true) {
    std::size_t columns = 0;
    std::size_t at = 0;
    std::size_t space = 0;  // the last one at which this line can end
    std::size_t gap = 0;    // where the last several began, between two columns of text
    std::size_t spaces = 0;
    struct {
      std::size_t at, columns;
    } begin{};
    bool has_space = false;
    bool has_word = false;
    while (at < text.size()) {
      const Piece piece = piece_of(text.substr(at));
      if (columns + piece.columns > width && text[at] != ' ') break;
      if (piece.columns > 0 && text[at] != ' ') spaces = 0;
      if (text[at] == ' ' && has_word) {
        if (++spaces == 1) begin = {at, columns};
        if (spaces == 2 && is_far(begin.columns, width)) gap = begin.at;
        space = at;
        has_space = true;
      }
      has_word = has_word || (text[at] != ' ' && piece.columns > 0);
      columns += piece.columns;
      at += piece.bytes;
      if (columns > width) break;  // by a space, at which the line ends
    }
    if (at >= text.size() && columns <= width) {
      lines.emplace_back(text);
      return lines;
    }
    const std::size_t end = gap > 0 ? gap : has_space ? space : at;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return lines;
  }
}

}  // namespace prengdl
