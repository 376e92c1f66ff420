// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

inline constexpr std::size_t any_width = std::numeric_limits<std::size_t>::max();

/// How text is shown: emphasis and lines of a width on a terminal, plain text and lines of any
/// length elsewhere.
struct Style {
  // Converts from a bool, for callers that only know about colour.
  Style(bool with_colour = false, std::size_t columns = any_width)
      : colour(with_colour), width(columns) {}

  bool colour;
  std::size_t width;

  std::string with(const char* code, const std::string& text) const {
    return colour ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }
  std::string bold(const std::string& text) const { return with("1", text); }
  std::string dim(const std::string& text) const { return with("2", text); }
  std::string good(const std::string& text) const { return with("32", text); }
  std::string warn(const std::string& text) const { return with("33", text); }
  std::string bad(const std::string& text) const { return with("31", text); }
  // The two levels of a comparison, in colours that no warning has.
  std::string first_side(const std::string& text) const { return with("36", text); }
  std::string second_side(const std::string& text) const { return with("35", text); }
};

/// How many columns a text takes on a terminal: wide characters take two, combining ones and the
/// sequences that change colours none.
std::size_t shown_width(std::string_view text);

/// The text in lines of at most `width` columns, broken between its columns where several spaces
/// stand, or else at spaces. Sequences that change colours stay where they are. At least one line,
/// which may be empty.
std::vector<std::string> lines_of(std::string_view text, std::size_t width);

/// Whether lines can be written over there: a terminal that knows how.
bool can_overwrite(int descriptor);

/// How wide the terminal is: 80 where nobody can say.
std::size_t columns_of(int descriptor);

/// How many lines it shows: 24 where nobody can say.
std::size_t rows_of(int descriptor);

/// Shows a line on stderr in the place of the one before, cut to the terminal's width so that it
/// never wraps: a wrapped line would stay behind.
void write_over(const std::string& line);
/// Takes the line away again.
void write_over_nothing();

/// Whether to colour what goes to this descriptor: a terminal, and NO_COLOR is not set.
bool wants_colour(int descriptor);

/// Colour as `wants_colour` says; the width of a terminal, any width elsewhere.
Style style_of(int descriptor);

/// The text with lines of at most `width` columns: longer ones go on in the next line, broken
/// between words and indented to where the last column of text began.
std::string wrapped(const std::string& text, std::size_t width);

/// Prints a text for people on stdout, wrapped to the terminal's width if it goes to one.
void show(const std::string& text);

}  // namespace prengdl
