// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace prengdl {

/// Emphasis on a terminal, plain text elsewhere.
struct Style {
  bool colour = false;
  std::string with(const char* code, const std::string& text) const {
    return colour ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }
  std::string bold(const std::string& text) const { return with("1", text); }
  std::string dim(const std::string& text) const { return with("2", text); }
  std::string good(const std::string& text) const { return with("32", text); }
  std::string warn(const std::string& text) const { return with("33", text); }
  std::string bad(const std::string& text) const { return with("31", text); }
};

/// Whether lines can be written over there: a terminal that knows how.
bool can_overwrite(int descriptor);

/// How wide the terminal is: 80 where nobody can say.
std::size_t columns_of(int descriptor);

/// Shows a line on stderr in the place of the one before, cut to the terminal's width so that it
/// never wraps: a wrapped line would stay behind.
void write_over(const std::string& line);
/// Takes the line away again.
void write_over_nothing();

/// Whether to colour what goes to this descriptor: a terminal, and NO_COLOR is not set.
bool wants_colour(int descriptor);

}  // namespace prengdl
