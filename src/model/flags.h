// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"

namespace prengdl {

/// What a flag of a run means, in a few words: "other processes or the host used CPU time". The
/// table in docs/measuring.md has the same flags. Empty for a word that is no flag.
std::string_view flag_words(std::string_view flag);

/// All flags that there are.
std::vector<std::string_view> known_flags();

/// "disturbed: other processes or the host used CPU time (3 of 20 runs)", one for each flag that
/// any of the runs has; without the count if there is a single run.
std::vector<std::string> flag_lines(const std::vector<const Run*>& runs);

}  // namespace prengdl
