// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

/// The nearest of the candidates by edits, if any is near enough to be what was meant.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// "did you mean 'x'?" or the words there are.
std::string meant_or_known(const std::string& word, const std::vector<std::string>& known);

}  // namespace prengdl
