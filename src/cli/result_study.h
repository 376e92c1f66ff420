// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meters/sources.h"
#include "model/result.h"
#include "model/study.h"
#include "store/result.h"

namespace prengdl {

/// A result as the analysis wants it.
struct ResultStudy {
  StudyRecord record;
  Study study;  // as its file says, with the preset that it was run with
  std::vector<StoredRun> runs;
  bool is_paired = true;  // imported runs have no blocks
};

/// The domains of the meters at hand, and those of a result and its runs.
std::vector<std::string> domains_of(const FoundMeters& found);
std::vector<std::string> domains_of(const ResultStore& store, const std::vector<StoredRun>& runs);

/// Throws a UsageError that names the measures there are if the study in `file` asks for another.
/// `domains` are those that count besides the built-in ones.
void check_measures(const Study& study, const std::filesystem::path& file,
                    const std::vector<std::string>& domains);

/// Whether any run has a figure of this measure that is not modelled.
bool has_measured(const std::vector<StoredRun>& runs, const std::string& measure);

/// Another part of each run than the study says is to be compared (`--window`). Throws a UsageError
/// that names the spans there are. Gives what the study says, if that is something else.
std::optional<std::string> take_window(const std::string& window,
                                       const std::vector<StoredRun>& runs, Study& study);

/// Reads a result directory. Runs come with all that analysis can use but samples.
ResultStudy read_result(const std::filesystem::path& directory);
ResultStudy read_result(const ResultStore& store);

/// Gives levels other names, in the study and in all runs.
void rename_levels(ResultStudy& found, const std::map<std::string, std::string>& names);

/// Levels that are command lines, as `measure -o` stores them, lose the directories of their
/// programs as far as they stay different.
void shorten_commands(ResultStudy& found);

}  // namespace prengdl
