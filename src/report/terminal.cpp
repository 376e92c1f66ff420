// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "base/standard_streams.h"
#include "base/text.h"
#include "report/shown_width.h"

namespace prengdl {
namespace {

/// Where a line that is too long goes on: below the last column of text that follows a gap near its
/// beginning, or two columns after its beginning.
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
