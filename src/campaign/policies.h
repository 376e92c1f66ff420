// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/units.h"
#include "campaign/run_keeper.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// The energy and the time that a study may use, earlier starts included.
class Budget {
 public:
  Budget(const Protocol& protocol, Seconds spent_before, std::int64_t begin_ns)
      : energy_(protocol.budget_energy),
        time_(protocol.budget_time),
        spent_before_(spent_before),
        begin_ns_(begin_ns) {}

  /// What is used up, in words; nothing if runs may go on.
  std::optional<std::string> used_up(Joules energy, std::int64_t now_ns) const;

 private:
  std::optional<Joules> energy_;
  std::optional<Seconds> time_;
  Seconds spent_before_;
  std::int64_t begin_ns_;
};

/// Cells that fail again and again are given up for the rest of a start.
class GivenUpCells {
 public:
  explicit GivenUpCells(std::size_t after) : after_(after) {}

  /// True if this run is the one too many.
  bool count(const StoredRun& run);
  bool has(const Cell& cell) const { return cells_.contains(cell); }

 private:
  std::size_t after_;
  std::map<Cell, std::size_t> failures_in_a_row_;
  std::set<Cell> cells_;
};

/// Cases that are decided need no more runs. This is examined between blocks only, and for a case
/// as a whole.
class DecidedCases {
 public:
  DecidedCases(const Stopping& stopping, const std::vector<std::vector<std::size_t>>& cases)
      : stopping_(stopping), cases_(cases) {}

  /// Before a block; gives and notes why cases were decided by this look.
  std::vector<std::string> look(std::size_t block, RunKeeper& keeper);

  bool has(std::size_t cell) const { return cells_.contains(cell); }
  bool are_all() const { return !cases_.empty() && decided_.size() == cases_.size(); }

 private:
  Stopping stopping_;
  std::vector<std::vector<std::size_t>> cases_;  // of cells
  std::set<std::size_t> decided_;                // cases
  std::set<std::size_t> cells_;                  // of decided cases
};

}  // namespace prengdl
