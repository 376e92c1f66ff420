// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/study.h"

namespace prengdl {

// Parameter lists of `measure -L NAME VALUE,VALUE`: each list is a factor, and {NAME} in a command
// is replaced by its levels.

/// Values are separated by commas; `\,` is a comma within a value. Throws a UsageError for a name
/// that cannot be a factor, an empty value or one that is there twice.
Factor parameter_list(const std::string& name, const std::string& values);

/// Throws a UsageError for a placeholder that no list has, for a list that no command uses, and for
/// two lists of one name. Braces count as a placeholder only around a name, and not after a `$`;
/// {{NAME}} is {NAME} as it is.
void check_placeholders(const std::vector<std::vector<std::string>>& commands,
                        const std::vector<Factor>& parameters);

/// The word as a template of a workload (study/workload.h): placeholders of parameters stay, all
/// other braces are doubled.
std::string template_word(const std::string& word, const std::vector<Factor>& parameters);

}  // namespace prengdl
