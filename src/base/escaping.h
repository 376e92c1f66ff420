// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prengdl {

/// Text that came from outside, made safe for a terminal: control characters and bytes that are not
/// UTF-8 become \xNN.
std::string printable(std::string_view text);

/// As in URIs: bytes that do not stay as they are become %NN.
std::string percent_encoded(std::string_view text, bool (*stays)(char));

/// The text that was encoded so; nothing if a % stands in front of anything but two digits.
std::optional<std::string> percent_decoded(std::string_view text);

/// The text as a basic string of TOML, with its quotes.
std::string toml_quoted(std::string_view text);

}  // namespace prengdl
