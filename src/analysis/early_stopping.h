// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/study.h"
#include "stats/stopping.h"

namespace prengdl {

/// When a unit of a study may end before its planned blocks (docs/stopping.md). Fixed before the
/// first run, stored with the study.
struct StopRule {
  std::size_t first = 10;       // no look before so many blocks
  std::size_t planned = 10;     // blocks; the last look
  std::size_t comparisons = 1;  // of the study's primary measure, over all units: they share alpha
  double alpha = 0.05;
  double margin = 0;  // ratios within 1 / (1 + margin) and 1 + margin are equivalent; 0: none is
};

/// The rule of a study with so many comparisons. Refused where it could not keep its error rate: by
/// a test that has no such rule, fewer than ten blocks, or together with repeats of disturbed runs.
Result<StopRule> stop_rule(const Study& study, std::size_t comparisons);

LookPlan look_plan(const StopRule& rule);

/// The primary measure of two cells of a unit: the blocks in which both have a figure, in order.
struct PairedValues {
  std::array<std::string, 2> pair;
  std::vector<double> first;
  std::vector<double> second;
  bool modelled = false;  // modelled energy decides nothing
};

/// What an interval says of a ratio: as a finding puts it.
enum class SequenceVerdict { inconclusive, less, less_below_margin, equivalent };

std::string_view name_of(SequenceVerdict verdict);  // "less, below margin"

/// `less` where the interval excludes 1 (the ratio tells which side is less), `less, below margin`
/// where it also lies within the margin, `equivalent` where it lies within and includes 1.
SequenceVerdict verdict_of(const std::array<double, 2>& interval, double margin);

struct StoppingInput {
  StopRule rule;
  std::size_t blocks = 0;  // that are done, failed runs included
  std::vector<PairedValues> comparisons;
};

/// How a comparison stands at a look.
struct ComparisonState {
  std::array<std::string, 2> pair;
  SequenceVerdict verdict = SequenceVerdict::inconclusive;
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

/// Whether a unit may end at the end of this block: when each of its comparisons is decided, or the
/// planned blocks are done.
StopDecision may_stop(const StoppingInput& input);

}  // namespace prengdl
