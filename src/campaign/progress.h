// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/due.h"
#include "campaign/executor.h"
#include "campaign/pace.h"

namespace prengdl {

/// The progress of a study, for the progress line.
struct StudyProgress {
  std::string doing;  // "running", "waiting for a quiet machine", ...
  Cell cell;
  std::string what;  // the cell in words; empty while several run at once
  std::size_t block = 0;
  std::size_t blocks = 0;
  std::size_t done = 0;  // of `planned`
  std::size_t planned = 0;
  std::size_t failures = 0;
  Joules energy{};                   // of all runs of this result so far
  std::optional<Quality> quality;    // of that energy: the worst of its parts
  std::optional<Power> power;        // now, while a run lasts; its mean when it has ended
  std::optional<Seconds> time_left;  // of this start, by the time that its runs took so far
  std::string ended;                 // the id of the run that was just made, else empty
  bool is_profile = false;           // no run of the plan: it comes after them
};
using TellProgress = std::function<void(const StudyProgress&)>;

/// Counts what a start of a study has done, what that cost and what is left.
class ProgressCount {
 public:
  ProgressCount(const Study& study, const std::vector<PlannedRun>& plan, const Stored& before,
                Clock& clock, TellProgress tell);

  std::size_t done = 0;  // places of the plan
  std::size_t left = 0;  // of this start
  std::size_t failures = 0;
  bool is_profiling = false;

  /// What a run drew, whatever became of it.
  void add_cost(const StoredRun& run);
  /// A place of the plan is done.
  void one_done();

  Joules energy() const { return energy_; }

  /// What is being done for a run of this cell and block.
  void tell(const std::string& doing, const Cell& cell, std::size_t block,
            const std::optional<Power>& power = {}) const;
  /// What several machines are doing at once.
  void tell_all(const std::string& doing, std::size_t block) const;
  /// What became of a run that was just made, with its mean power.
  void tell_end(const std::string& doing, const StoredRun& run) const;

 private:
  StudyProgress now(const std::string& doing, const Cell& cell, std::size_t block) const;

  const Study& study_;
  Clock& clock_;
  TellProgress tell_;
  std::size_t planned_;
  std::size_t blocks_ = 0;
  Joules energy_;
  std::optional<Quality> quality_;
  std::optional<Power> power_;  // of the run before
  Pace pace_;
};

/// "warming up", "waiting for a quiet machine": what an executor does, in words.
std::string doing_text(const RunRequest& run, Phase phase);

}  // namespace prengdl
