// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conclude/compare_settings.h"
#include "model/comparison.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// The rules of concluding (docs/explanation/concluding.md): one family for the primary measure and
/// one for each other, Holm's correction within each, the ratio of geometric means with its
/// interval on logs, and verdicts from that interval. Throws an Error if the study compares nothing
/// or its window is not one.
Findings compare(const Study& study, const std::vector<StoredRun>& runs,
                 const CompareSettings& settings);

/// The measures of a study in their order: the primary one, then the secondary ones, or, where the
/// file names none, each domain that was measured and the seconds.
std::vector<std::string> measures_of(const Study& study, const std::vector<StoredRun>& runs);

}  // namespace prengdl
