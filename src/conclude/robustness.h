// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conclude/compare_settings.h"
#include "model/comparison.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// Compares by one measure again under every reasonable analysis and notes, for each comparison,
/// which of them agree: with the study's own test and the others, as pairs and as independent
/// samples, with and without flagged runs, by another window or unit of work, without the first
/// block, and without any one block (agrees only if all of these do). Analyses that the data do not
/// allow for are left out, and so is the rank test of so few runs that it could show nothing.
/// `findings` are those of the study's own analysis.
void add_robustness(const Study& study, const std::vector<StoredRun>& runs,
                    const CompareSettings& settings, const std::string& measure,
                    Findings& findings);

}  // namespace prengdl
