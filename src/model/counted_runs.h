// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/result.h"

namespace prengdl {

/// Whether a run could count: it ended well, is no warm-up and was not excluded. Runs under a
/// profiler are stored as warm-ups.
bool is_good(const StoredRun& run);

/// What decides whether a run counts. It refers to what belongs to the run.
struct RunStanding {
  const std::string& id;
  const std::string& machine;
  const Cell& cell;
  std::size_t block = 0;
  std::size_t attempt = 0;
  const std::optional<std::string>& repeats;
  bool is_good = false;
};

/// Decides which runs of a result count, for every command that looks at results. A run counts if
/// it is good and no later good one stands for it: one that repeats it, or the last attempt at its
/// place. A place is a cell in a block on a machine, since results of several machines can be
/// merged. Imported runs have no blocks, so each of them is a place of its own.
class CountedRuns {
 public:
  explicit CountedRuns(bool has_blocks) : has_blocks_(has_blocks) {}
  CountedRuns(const std::vector<StoredRun>& runs, bool has_blocks);

  /// Every run of the result is added once, in the order of the result, before counts() is asked.
  void add(const StoredRun& run);
  void add(const RunStanding& run);

  bool counts(const StoredRun& run) const;
  bool counts(const RunStanding& run) const;

  /// Those that count, in the order given. They point into `runs`.
  std::vector<const StoredRun*> among(const std::vector<StoredRun>& runs) const;

 private:
  using Place = std::tuple<std::size_t, std::size_t, std::size_t>;  // machine, block, cell
  struct Attempt {
    std::size_t number = 0;
    std::string run;
  };

  bool has_blocks_;
  std::map<std::string, std::size_t> machines_;  // numbered, for results of many runs stay small
  std::map<Cell, std::size_t> cells_;
  std::map<Place, Attempt> last_;
  std::set<std::string> repeated_;
};

/// The runs that count, in the order given. They point into `runs`.
std::vector<const StoredRun*> counted_runs(const std::vector<StoredRun>& runs, bool has_blocks);

/// The runs that a command's figures are summed up from, in one place for text, JSON and Markdown:
/// those that were neither interrupted nor ran out of time, and that succeeded or are to be
/// measured nevertheless. If none succeeded, those that failed by themselves.
std::vector<Run> runs_to_average(const std::vector<Run>& runs, bool ignore_failure);

}  // namespace prengdl
