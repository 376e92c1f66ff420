// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/study.h"

namespace prengdl {

/// One run of a study before it is made.
struct PlannedRun {
  std::size_t place = 0;   // in the whole study, from 0
  std::size_t block = 0;   // from 0
  std::size_t cell = 0;    // in Design::cells()
  std::uint64_t seed = 0;  // for the workload: below 2^31, which every framework takes
};

/// What runs when. The same study with the same seed gives the same order on every machine, and
/// more runs add blocks without changing those that are there, so a study can go on or grow.
///
/// `adjacent`: a case is the cells that differ only in the compared factor. Cases come in random
/// order within a block, the cells of a case next to each other. Their order is a row of a Williams
/// design (1949), each row once before one comes again: over a full set of rows each level stands
/// in each position and follows each other level equally often, so that what one run leaves to the
/// next (heat, caches) hits all alike. Rows and the levels' places in them are drawn for each case.
/// For two levels that is a random order that both take alternately.
/// `shuffled`: the cells in random order within a block. `as-written`: as the study names them.
class Design {
 public:
  explicit Design(const Study& study);

  /// As cells_of gives them.
  const std::vector<Cell>& cells() const { return cells_; }

  /// Cells that are compared with each other, in the order of the compared levels. A cell that
  /// nothing is compared with is a case of its own.
  const std::vector<std::vector<std::size_t>>& cases() const { return cases_; }

  std::size_t blocks() const { return blocks_; }
  std::size_t size() const { return blocks_ * cells_.size(); }  // runs, without warm-ups

  /// The same for all runs of a block, so that all frameworks work on the same; no two blocks share
  /// one.
  std::uint64_t seed_of(std::size_t block) const;

  /// The cells of a block in the order in which they run. Blocks beyond blocks() have one too.
  std::vector<std::size_t> order_of(std::size_t block) const;

  std::vector<PlannedRun> runs_of(std::size_t block) const;
  std::vector<PlannedRun> all_runs() const;

 private:
  void add_adjacent(std::size_t block, std::vector<std::size_t>& order) const;

  std::uint64_t seed_ = 0;
  std::size_t blocks_ = 0;
  Order order_ = Order::adjacent;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::size_t>> cases_;
  std::vector<std::size_t> sizes_;  // of cases, each once
};

/// How many rows a Williams design for so many levels has: as many as levels when that is even,
/// twice as many when it is odd, one for a single level.
std::size_t williams_rows(std::size_t levels);

/// A row of it: the levels 0, 1, .. in the order of their positions.
std::vector<std::size_t> williams_row(std::size_t levels, std::size_t row);

}  // namespace prengdl
