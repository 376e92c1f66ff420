// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/result.h"

namespace prengdl {

/// What RESULT/live.json says: only the fields that docs/serve.md names, each of its type. Nothing
/// if there is none, or if it is something else.
std::optional<Json> read_live_file(const std::filesystem::path& result);

/// Whether somebody makes runs now, in a word and in a sentence.
struct StudyState {
  /// "running"; "ended": as planned or by a rule; "interrupted"; "killed": without a word; "quiet":
  /// nothing is known to run.
  std::string word = "quiet";
  std::string why;
};

/// Whether a process has ended. False for one on another machine: nothing can be known of it.
bool has_ended(const std::string& host, double pid);

StudyState state_of(const std::optional<Json>& live, const std::vector<StudyEvent>& events);

}  // namespace prengdl
