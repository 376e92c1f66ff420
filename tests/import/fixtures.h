// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "import/imported.h"

namespace prengdl {

/// What an action throws, as "what | hint"; empty if it throws nothing.
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(error.what()) + (error.hint.empty() ? "" : " | " + error.hint);
  }
  return "";
}

inline double joules_in(const Totals& totals, const std::string& domain) {
  const auto found = totals.domains.find(domain);
  return found == totals.domains.end() ? -1 : found->second.value.value;
}

/// The only run with these levels and number, or a failure.
inline const ImportedRun& run_with(const Imported& imported,
                                   const std::map<std::string, std::string>& levels,
                                   std::int64_t number) {
  static const ImportedRun none;
  for (const auto& run : imported.runs)
    if (run.levels == levels && run.number == number) return run;
  ADD_FAILURE() << "there is no such run";
  return none;
}

}  // namespace prengdl
