// SPDX-License-Identifier: Apache-2.0
#include "cli/cell_pattern.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "cli/arguments.h"

namespace prengdl {

CellPattern cell_pattern(const Study& study, const std::vector<std::string>& only) {
  CellPattern pattern;
  for (const auto& text : only) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto factor = factor_index(study, name);
    if (equals == std::string::npos || !factor)
      throw UsageError(fmt::format("--only {}: the study has no factor {}", text, name),
                       "write it as FACTOR=LEVEL");
    const std::string level = text.substr(equals + 1);
    const auto& levels = study.factors[*factor].levels;
    if (std::find(levels.begin(), levels.end(), level) == levels.end()) {
      const auto meant = nearest(level, levels);
      throw UsageError(fmt::format("--only {}: {} has no level {}", text, name, level),
                       meant ? "did you mean " + *meant + "?" : "");
    }
    pattern[name] = level;
  }
  return pattern;
}

}  // namespace prengdl
