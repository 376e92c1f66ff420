// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/comparison.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

struct CompareSettings {
  /// Runs have blocks and are paired by them; imported ones have none.
  bool paired = true;
  /// Blocks that a study with early stopping was planned with (its file's `runs` may have been
  /// overruled when it was started).
  std::optional<std::size_t> planned_blocks;
  /// The smallest ratio that the machine can show, by `doctor --aa`: "equivalent" may not mean
  /// less.
  std::optional<double> smallest_margin;
  /// Costs are per unit of work where every run told its work.
  bool per_work = true;
};

/// The rules of concluding (docs/comparing.md): one family for the primary measure and one for each
/// other, Holm's correction within each, the ratio of geometric means with its interval on logs,
/// and verdicts from that interval. Throws an Error if the study compares nothing or its window is
/// not one.
Findings compare(const Study& study, const std::vector<StoredRun>& runs,
                 const CompareSettings& settings);

/// The measures of a study in their order: the primary one, then the secondary ones, or, where the
/// file names none, each domain that was measured and the seconds.
std::vector<std::string> measures_of(const Study& study, const std::vector<StoredRun>& runs);

/// What an interval says against 1 and the margin, given whether a difference is shown. A margin of
/// 0 makes nothing equivalent.
Verdict verdict_of(const std::array<double, 2>& interval, bool is_different, double margin);

}  // namespace prengdl
