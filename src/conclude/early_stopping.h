// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/comparison.h"
#include "model/result.h"
#include "model/study.h"
#include "stats/stopping.h"

namespace prengdl {

/// When a case of a study may end before its planned blocks (docs/explanation/stopping.md). Fixed
/// before the first run, stored with the study.
struct StopRule {
  std::size_t first = 10;       // no look before so many blocks
  std::size_t planned = 10;     // blocks; the last look
  std::size_t comparisons = 1;  // of the study's primary measure, over all cases: they share alpha
  double alpha = 0.05;
  double margin = 0;  // ratios within 1 / (1 + margin) and 1 + margin are equivalent; 0: none is
};

/// What an interval that allows for all looks says against 1 and the margin: 1 / (1 + margin) to
/// 1 + margin. Nothing lies within a margin of 0.
Verdict verdict_of(const std::array<double, 2>& interval, double margin);

/// The rule of a study with so many comparisons. Refused where it could not keep its error rate: by
/// a test that has no such rule, fewer than ten blocks, or together with repeats of disturbed runs.
Result<StopRule> stop_rule(const Study& study, std::size_t comparisons);

LookPlan look_plan(const StopRule& rule);

/// The primary measure of two cells of a case: the blocks in which both have a figure, in order.
struct PairedValues {
  std::array<std::string, 2> pair;
  std::vector<double> first;
  std::vector<double> second;
  bool modelled = false;  // modelled energy supports no decision
};

/// The run that counts of each cell in each block, while a study is being made.
class BlockRuns {
 public:
  BlockRuns(const std::vector<Cell>& cells, const std::vector<StoredRun>& runs);

  /// Null where a cell has no run that counts in that block.
  const StoredRun* at(std::size_t block, std::size_t cell) const;

  /// The first blocks in which every one of these cells was run, well or not, without a gap.
  std::size_t whole_blocks(const std::vector<std::size_t>& one_case) const;

 private:
  std::map<std::pair<std::size_t, std::size_t>, const StoredRun*> counted_;
  std::set<std::pair<std::size_t, std::size_t>> tried_;
};

/// Every pair of cells of a case, in the order of the study's levels, over the blocks below
/// `blocks`.
std::vector<PairedValues> paired_values(const Study& study, const std::vector<Cell>& cells,
                                        const std::vector<std::size_t>& one_case,
                                        const BlockRuns& runs, std::size_t blocks);

struct StoppingInput {
  StopRule rule;
  std::size_t blocks = 0;  // that are done, failed runs included
  std::vector<PairedValues> comparisons;
};

/// How a comparison stands at a look.
struct ComparisonState {
  std::array<std::string, 2> pair;
  Verdict verdict = Verdict::inconclusive;
  std::optional<SequenceInterval> sequence;  // at the comparison's share of alpha
  std::string reason;                        // why there is no interval
};

struct StopDecision {
  bool stop = false;
  bool early = false;  // before the planned blocks
  std::size_t blocks = 0;
  std::size_t planned = 0;
  std::vector<ComparisonState> comparisons;
  std::string reason;  // a sentence to store and to show
};

/// Whether a case may end at the end of this block: when each of its comparisons is decided, or the
/// planned blocks are done.
StopDecision may_stop(const StoppingInput& input);

}  // namespace prengdl
