// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "study/design.h"

namespace prengdl {

/// The cells that a start of a study is asked for.
class AskedCells {
 public:
  AskedCells(const Study& study, const Design& design, const CellPattern& only);

  const std::vector<Cell>& cells() const { return cells_; }
  void leave_out(const Cell& cell) { std::erase(cells_, cell); }

  /// Their runs, in the order of the design.
  std::vector<PlannedRun> runs_of(const Design& design) const;

 private:
  std::vector<Cell> cells_;
};

}  // namespace prengdl
