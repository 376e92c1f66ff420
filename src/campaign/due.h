// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/result.h"
#include "model/study.h"
#include "study/design.h"

namespace prengdl {

/// An attempt at a place of the plan.
struct Tried {
  std::string run;  // its id
  Outcome outcome = Outcome::ok;
  bool disturbed = false;
  bool is_void = false;  // its place is made again, as its case was not finished on that machine
};
Tried tried(const StoredRun& run);

/// What of the plan is stored already, by earlier starts.
struct Stored {
  std::map<std::size_t, std::vector<Tried>> places;
  Joules energy{};
  std::optional<Quality> quality;  // of that energy: the worst of its parts
  Seconds time{};                  // that the runs and the waits before them took
  std::size_t failures = 0;
};
Stored what_is_stored(std::vector<StoredRun> runs);

/// The next attempt that a place is due.
struct DueAttempt {
  std::size_t attempt = 0;
  std::optional<std::string> repeats;  // the disturbed run
};

/// What a place is due after these attempts, in their order, by the study's policies of retrying
/// and repeating; nothing when it is done. The same before and after a kill. Failures among the
/// first `forgiven` attempts do not count, and neither do void attempts.
std::optional<DueAttempt> due_attempt(const Study& study, const Cell& cell,
                                      const std::vector<Tried>& tries, std::size_t forgiven = 0);

/// How many attempts at a place are forgiven: all, if the last one failed and failed places are to
/// be tried again.
std::size_t forgiven_of(const std::vector<Tried>& tries, bool retry_failed);

/// What a start is asked for.
struct DueSettings {
  std::size_t most_blocks = SIZE_MAX;  // to be made in this start
  bool retry_failed = false;           // places whose last attempt failed get another
};

/// The runs of the plan that a start is to make, in their order: those that are not done, of at
/// most `most_blocks` blocks.
std::vector<PlannedRun> due_runs(const Study& study, const std::vector<PlannedRun>& plan,
                                 const std::vector<Cell>& cells, const Stored& stored,
                                 const DueSettings& settings);

/// Whether others used the processor while it ran.
bool is_disturbed(const StoredRun& run);

/// "b0003-p000017-t0-1f9c04aa": block, place and attempt, and a random word that makes it unique.
std::string new_run_id(std::size_t block, std::size_t place, std::size_t attempt);

}  // namespace prengdl
