// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conclude/level_pair.h"
#include "model/study.h"
#include "stats/t_boundary.h"

namespace prengdl {

/// What the verdicts of a family need besides its comparisons.
struct FamilyRules {
  const AnalysisPlan& plan;
  Estimator estimator = Estimator::log_t;
  std::optional<LookPlan> looks;  // of a primary measure whose study may stop early
  std::size_t earlier_looks = 0;  // at findings from fewer runs, by no plan
  bool is_unfinished = false;     // runs are still to come
};

/// Judges the comparisons of one measure together: estimates, Holm's correction of the tests for a
/// difference and of those for equivalence, and from these the verdicts, winners and caveats.
///
/// A difference is shown if its corrected p is below alpha. Two levels are equivalent if both
/// one-sided tests against the margin are shown, corrected in the same way. What is shown to differ
/// and to be within the margin is `less`, below the margin.
void conclude_family(std::vector<PairDraft>& family, const FamilyRules& rules);

}  // namespace prengdl
