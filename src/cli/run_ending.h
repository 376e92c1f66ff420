// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "model/result.h"
#include "run/study_run.h"

namespace prengdl {

/// What is stored of the runs that a start was asked for.
struct RunTally {
  std::size_t planned = 0;
  std::size_t good = 0;      // places with a good run
  std::size_t failed = 0;    // attempts
  std::size_t to_retry = 0;  // places that were tried and have no good run
  std::vector<std::pair<Cell, std::string>>
      without_good_run;  // tried cells, and their last failure
};

RunTally tally_of(const std::vector<StoredRun>& stored, const std::vector<PlannedRun>& planned,
                  const std::vector<Cell>& cells);

/// For people: how it ended, and what to do next. `words` are those of the command.
std::string ending_of(const StudyEnd& end, const RunTally& tally, const Study& study,
                      const std::vector<std::string>& words, const std::filesystem::path& result);

}  // namespace prengdl
