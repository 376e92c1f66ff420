// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

/// What is remarkable about a run. Programs rely on the names; docs/explanation/measuring.md has a
/// row for each.
enum class Flag {
  short_run,
  sampling_gaps,
  disturbed,
  throttled,
  profiled,
  not_settled,
  band_widened,
  mean_of_runs,
  stalled,
  stuck_meter,
  left_behind,
  timeout,
  interrupted,
  watched
};
using Flags = std::set<Flag>;

/// All flags that there are.
const std::vector<Flag>& all_flags();

std::string_view name_of(Flag flag);  // "sampling-gaps"
std::optional<Flag> flag_of(std::string_view name);

/// What a flag means, in a few words: "other processes or the host used CPU time".
std::string_view words_of(Flag flag);

/// Their names: "short disturbed".
std::string names_of(const Flags& flags, std::string_view separator = " ");

}  // namespace prengdl
