// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// Words as a shell would split them: quotes and backslashes, but no variables, no globs, no pipes.
Result<std::vector<std::string>> shell_words(std::string_view text);

/// The words as a line that a shell would split into them again.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace prengdl
