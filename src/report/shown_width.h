// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

/// How many columns a text takes on a terminal: wide characters take two, combining ones and the
/// sequences that change colours none.
std::size_t shown_width(std::string_view text);

/// The text in lines of at most `width` columns, broken between its columns where several spaces
/// stand, or else at spaces. Sequences
/// that change colours stay where they are. At least one line, which may be empty.
std::vector<std::string> lines_of(std::string_view text, std::size_t width);

/// Whether a gap between two columns of text is so far from the begin of a line that the line may
/// end there. One that is nearer sets off what the line is about.
constexpr bool is_far(std::size_t column, std::size_t width) { return column >= width * 2 / 5; }

}  // namespace prengdl
