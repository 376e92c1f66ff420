// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace prengdl {

std::string_view trimmed(std::string_view text);

/// Of ASCII, whatever the locale says.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The parts between separators; "" has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The words between white space.
std::vector<std::string_view> words(std::string_view text);

/// The whole text as a decimal integer or number; nothing when anything else is in it.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

/// "250ms", "5s", "1.5min", "2h"; a bare number is seconds. Up to 30 years.
Result<Seconds> parse_duration(std::string_view text);

/// "100Hz", "1kHz"; a bare number is hertz.
Result<double> parse_rate(std::string_view text);

/// A list of numbers as the kernel writes it: "0-3,8".
std::vector<int> parse_cpu_list(std::string_view text);

/// Words as a shell would split them: quotes and backslashes, but no variables, no globs, no pipes.
Result<std::vector<std::string>> shell_words(std::string_view text);

/// The words as a line that a shell would split into them again.
std::string shell_line(const std::vector<std::string>& words);

/// "zone2" before "zone10".
bool natural_less(const std::string& a, const std::string& b);

/// Four significant digits with an SI prefix: "12.35 mJ", "1.200 kJ".
std::string with_prefix(double value, std::string_view unit);

/// A duration for people: "812.0 us", "12.30 ms", "4.210 s", "3 min 20 s", "1 h 5 min".
std::string for_people(Seconds duration);

/// Text that came from outside, made safe for a terminal: control characters and bytes that are not
/// UTF-8 become \xNN.
std::string printable(std::string_view text);

/// The text as a basic string of TOML, with its quotes.
std::string toml_quoted(std::string_view text);

/// At most `most` characters (of UTF-8, not bytes), with an ellipsis where something was cut off.
std::string shortened(const std::string& text, std::size_t most);

/// "1 run", "2 runs".
std::string counted(std::size_t count, const std::string& one);

/// The nearest of the candidates by edits, if any is near enough to be what was meant.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace prengdl
