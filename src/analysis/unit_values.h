// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analysis/early_stopping.h"
#include "model/result.h"
#include "model/study.h"
#include "model/window.h"

namespace prengdl {

/// The run that stands for a place of the plan: good, not a warm-up, not excluded; of several the
/// last, which repeats a disturbed one. By block and cell.
class CountedRuns {
 public:
  CountedRuns(const std::vector<Cell>& cells, const std::vector<StoredRun>& runs);

  /// Null where a cell has no good run in that block.
  const StoredRun* at(std::size_t block, std::size_t cell) const;

  /// The first blocks in which every one of these cells was run, well or not, without a gap.
  std::size_t whole_blocks(const std::vector<std::size_t>& unit) const;

 private:
  std::map<std::pair<std::size_t, std::size_t>, const StoredRun*> good_;
  std::map<std::pair<std::size_t, std::size_t>, bool> tried_;
};

/// The primary measure of every pair of cells of a unit, in the order of the study's levels: the
/// blocks below `blocks` in which both have a figure.
std::vector<PairedValues> paired_values(const Study& study, const std::vector<Cell>& cells,
                                        const std::vector<std::size_t>& unit,
                                        const CountedRuns& runs, std::size_t blocks);

}  // namespace prengdl
