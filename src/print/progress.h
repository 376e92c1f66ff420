// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/command_study.h"
#include "campaign/progress.h"
#include "model/result.h"

namespace prengdl {

/// Prints the progress of a study on stderr. A terminal gets one line that is overwritten, and a
/// line for each failed run; elsewhere each finished run gets a line.
class StudyTeller {
 public:
  /// `with_ids`: lines of finished runs have their ids, which can be looked up in a result.
  explicit StudyTeller(bool on_terminal, bool with_ids = true)
      : on_terminal_(on_terminal), with_ids_(with_ids) {}
  ~StudyTeller() { clear(); }  // an error message gets a line of its own
  StudyTeller(const StudyTeller&) = delete;
  StudyTeller& operator=(const StudyTeller&) = delete;
  void tell(const StudyProgress& progress);
  void clear();

 private:
  std::string end_line(const StudyProgress& progress) const;

  bool on_terminal_;
  bool with_ids_;
  bool is_shown_ = false;  // a line that the next one writes over
  std::int64_t emitted_ns_ = 0;
};

/// Progress that names commands as a terminal shows them. The teller must outlive it.
TellProgress by_command(StudyTeller& teller, const CommandPlan& plan);

/// "block 2 of 10, run 14 of 200, about 4 min left, 3 failed: framework=pytorch: running, 1.2 kJ so
/// far". A plan with one run per block does not name blocks.
std::string line_of(const StudyProgress& progress);

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
