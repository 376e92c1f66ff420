// SPDX-License-Identifier: Apache-2.0
#include "study/only.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/suggestions.h"

namespace prengdl {
namespace {

std::vector<std::string> factors_of(const Study& study) {
  std::vector<std::string> names;
  names.reserve(study.factors.size());
  for (const auto& factor : study.factors) names.push_back(factor.name);
  return names;
}

std::string meant_and_all(const char* what, const std::string& word,
                          const std::vector<std::string>& known) {
  constexpr std::size_t most = 12;
  std::string all;
  for (std::size_t i = 0; i < known.size() && i < most; ++i) all += (i > 0 ? ", " : "") + known[i];
  if (known.size() > most) all += ", ...";
  const auto meant = word.empty() ? std::nullopt : nearest(word, known);
  return fmt::format("{}The {} are {}.", meant ? "Did you mean '" + *meant + "'? " : "", what, all);
}

/// A word without '=': a factor whose level is missing, a level whose factor is, or neither.
[[noreturn]] void refuse_half(const Study& study, const std::string& text) {
  if (const auto factor = factor_index(study, text)) {
    const auto& levels = study.factors[*factor].levels;
    throw UsageError(fmt::format("--only {0}: the level of '{0}' is missing", text),
                     fmt::format("Write FACTOR=LEVEL, as in --only {}={}. {}", text, levels.front(),
                                 meant_and_all("levels", "", levels)));
  }
  for (const auto& factor : study.factors)
    if (std::find(factor.levels.begin(), factor.levels.end(), text) != factor.levels.end())
      throw UsageError(fmt::format("--only {}: the factor of this level is missing", text),
                       fmt::format("Write --only {}={}.", factor.name, text));
  throw UsageError(
      fmt::format("--only {}: this is not FACTOR=LEVEL", text),
      "Write it as FACTOR=LEVEL. " + meant_and_all("factors", text, factors_of(study)));
}

}  // namespace

CellPattern cell_pattern(const Study& study, const std::vector<std::string>& only) {
  CellPattern pattern;
  for (const auto& text : only) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) refuse_half(study, text);
    const std::string name = text.substr(0, equals);
    const auto factor = factor_index(study, name);
    if (!factor)
      throw UsageError(fmt::format("--only {}: the study has no factor '{}'", text, name),
                       meant_and_all("factors", name, factors_of(study)));
    const std::string level = text.substr(equals + 1);
    const auto& levels = study.factors[*factor].levels;
    if (std::find(levels.begin(), levels.end(), level) == levels.end())
      throw UsageError(
          fmt::format("--only {}: the factor '{}' has no level '{}'", text, name, level),
          meant_and_all("levels", level, levels));
    pattern[name] = level;
  }
  return pattern;
}

}  // namespace prengdl
