// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

/// The lines that differ between two texts, as `diff` shows them: "-runs = 10", "+runs = 20", at
/// most `most` of them and then how many more. By the longest common subsequence; texts of
/// thousands of lines are compared by their lines in order only.
std::vector<std::string> difference(std::string_view before, std::string_view after,
                                    std::size_t most = 20);

}  // namespace prengdl
