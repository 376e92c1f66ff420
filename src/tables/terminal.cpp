// SPDX-License-Identifier: Apache-2.0
#include "tables/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "base/standard_streams.h"
#include "base/strings.h"

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
  const auto character = first_character(text);
  if (!character) return {1, 1};
  const auto [code, length] = *character;
  return {length, is_within(code, without_width) ? 0U : is_within(code, wide) ? 2U : 1U};
}

/// Whether a gap between two columns of text is so far from the begin of a line that the line may
/// end there. One that is nearer sets off what the line is about.
constexpr bool is_far(std::size_t column, std::size_t width) { return column >= width * 2 / 5; }

/// Where a line that is too long continues: below the last column of text that follows a gap near
/// its beginning, or two columns after its beginning.
std::size_t hanging_indent(std::string_view coloured, std::size_t width) {
  std::string line;
  for (std::size_t at = 0; at < coloured.size(); ++at) {
    if (coloured[at] == '\x1b') {  // a sequence that changes the colour
      at = std::min(coloured.find('m', at), coloured.size());
      continue;
    }
    line += coloured[at];
  }
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  std::size_t indent = begin + 2;
  for (auto gap = line.find("  ", begin); gap != std::string::npos;) {
    const auto word = line.find_first_not_of(' ', gap);
    if (word == std::string::npos) break;
    const auto column = [&](std::size_t at) {
      return shown_width(std::string_view(line).substr(0, at));
    };
    if (is_far(column(gap), width)) break;
    indent = column(word);
    gap = line.find("  ", word);
  }
  return std::min(indent, width / 2);
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

bool can_overwrite(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) && !(terminal && std::string_view(terminal) == "dumb");
}

std::size_t columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::size_t rows_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return 24;
  return size.ws_row;
}

void write_over(const std::string& line) {
  // The last column stays free: some terminals wrap as soon as it is written.
  const std::size_t most = std::max<std::size_t>(columns_of(STDERR_FILENO), 2) - 1;
  remark(fmt::format("\r\x1b[K{}", shortened(line, most)));
}

void write_over_nothing() { remark("\r\x1b[K"); }

bool wants_colour(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  return can_overwrite(descriptor) && !(refused && *refused);
}

Style style_of(int descriptor) {
  return {wants_colour(descriptor), isatty(descriptor) ? columns_of(descriptor) : any_width};
}

std::string wrapped(const std::string& text, std::size_t width) {
  if (width == any_width) return text;
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    if (shown_width(line) <= width) {
      out += line;
    } else {
      const std::size_t indent = hanging_indent(line, width);
      const auto first = lines_of(line, width).front();
      out += first;
      auto more = line.substr(first.size());
      more.remove_prefix(std::min(more.find_first_not_of(' '), more.size()));
      if (!more.empty())
        for (const auto& next : lines_of(more, width - indent))
          out += "\n" + std::string(indent, ' ') + next;
    }
    if (end == std::string_view::npos) break;
    out += '\n';
    rest.remove_prefix(end + 1);
  }
  return out;
}

void show(const std::string& text) {
  std::cout << wrapped(text, style_of(STDOUT_FILENO).width) << std::flush;
}

}  // namespace prengdl
