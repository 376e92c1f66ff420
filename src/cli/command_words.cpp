// SPDX-License-Identifier: Apache-2.0
#include "cli/command_words.h"

#include <fmt/core.h>

#include <cstdio>
#include <string_view>

#include "base/error.h"
#include "base/escaping.h"
#include "base/shell_words.h"

namespace prengdl {

char shell_character(const std::string& text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
      if (quote == '"' && (c == '$' || c == '`')) return c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (std::string_view("|><&;*$`").find(c) != std::string_view::npos) {
      return c;
    }
  }
  return 0;
}

std::vector<std::string> words_of_command(const std::string& text, bool with_shell) {
  if (with_shell) return {"/bin/sh", "-c", text};
  auto words = shell_words(text);
  if (!words) throw UsageError(words.error().what(), words.error().hint);
  if (words->empty())
    throw UsageError("an empty command was given with -c",
                     "write a program and its arguments between the quotes");
  if (const char c = shell_character(text))
    fmt::print(stderr,
               "prengdl: warning: -c \"{}\" is not read by a shell, so the program gets {} "
               "unchanged. Add --shell to run it in a shell, or put {} in single quotes.\n",
               printable(text), c, c);
  return *words;
}

}  // namespace prengdl
