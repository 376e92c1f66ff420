// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
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
  bool is_paired = true;          // imported runs have no blocks
  bool is_without_meter = false;  // its analysis went through go_without_meter()
};

/// The domains of the meters at hand, and those of a result and its runs.
std::vector<std::string> domains_of(const FoundMeters& found);
std::vector<std::string> domains_of(const ResultStore& store, const std::vector<StoredRun>& runs);

/// Throws a UsageError that names the measures there are if the study in `file` asks for another.
/// `domains` are those that count besides the built-in ones.
void check_measures(const Study& study, const std::filesystem::path& file,
                    const std::vector<std::string>& domains);

/// Reads a result. A study without any measured energy goes by what it says of that case
/// (`without_meter`).
ResultStudy read_result(const ResultStore& store, Detail detail = Detail::all);

/// Keeps in the result that `command` shows what it has so far, unless all planned runs are there.
void note_look(const ResultStore& store, const ResultStudy& found, const std::string& command);

}  // namespace prengdl
