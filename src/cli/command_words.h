// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace prengdl {

/// What is started for a -c: its words, or with --shell a shell that reads it. Throws a UsageError
/// for one that cannot be split. Warns on stderr if it holds a character that only a shell obeys.
std::vector<std::string> words_of_command(const std::string& text, bool with_shell);

/// The first character outside of quotes that only a shell obeys: | > < & ; * $ `. Inside of double
/// quotes $ and ` count too. 0 if there is none.
char shell_character(const std::string& text);

}  // namespace prengdl
