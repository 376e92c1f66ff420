// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/study.h"

namespace prengdl {

using Placeholders = std::map<std::string, std::string>;

/// What texts of a workload may name besides the factors, in braces.
const std::vector<std::string>& run_placeholders();

/// The names that stand in braces; {{ and }} are braces. An Error where one is not closed or empty.
Result<std::vector<std::string>> placeholders_in(std::string_view text);

/// The text with the values in place of the names; values are not expanded again.
/// Throws an Error that names the placeholder without a value.
std::string expand(std::string_view text, const Placeholders& values);

/// What is known of a run before it starts.
struct RunPlace {
  std::uint64_t seed = 0;
  std::size_t block = 0;
  std::string run;      // its id
  std::string result;   // directory
  std::string scratch;  // directory
  std::string data;     // directory
};

/// In front of the name of an environment whose directory is meant: {environment:pytorch}.
constexpr std::string_view environment_mark = "environment:";

/// The values for all placeholders but the directories of environments. {preset} is "default" where
/// none was chosen.
Placeholders placeholders_of(const Study& study, const Cell& cell, const RunPlace& place);

/// The study's workload with the overrides that fit the cell; placeholders still stand in it.
Workload workload_for(const Study& study, const Cell& cell);

/// What a cell runs in. It is known before any run is: only factors and {preset} stand in it.
EnvironmentChoice environment_for(const Study& study, const Cell& cell);

/// The names of all environments of `setup` whose directories the texts of a workload ask for.
std::vector<std::string> environments_named_in(const Workload& workload);

/// All texts expanded.
EnvironmentChoice expanded(const EnvironmentChoice& choice, const Placeholders& values);
Workload expanded(const Workload& workload, const Placeholders& values);

}  // namespace prengdl
