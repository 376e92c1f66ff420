// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "model/comparison.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// The final scores of two levels: their mean difference with a 95 % interval by Student's t (of
/// pairs, or after Welch), and whether two one-sided tests at alpha show it within the study's
/// margin. Scores that are the same in every run of a level differ by exactly what they differ by.
/// Nothing if the study names no score, or a level has no run with one.
std::optional<ScoreFigures> score_difference(const std::vector<const StoredRun*>& a,
                                             const std::vector<const StoredRun*>& b, bool is_paired,
                                             const AnalysisPlan& plan);

/// How the winner's score compares with the loser's.
enum class WinnersScore { equal, higher, lower, unknown };

/// `unknown` if neither equality nor a direction is shown. Needs a winner and a score.
WinnersScore winners_score(const Comparison& comparison);

}  // namespace prengdl
