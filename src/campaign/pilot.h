// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/study.h"
#include "study/design.h"
#include "study/plan.h"

namespace prengdl {

/// Where `run` puts the result of a study unless it is given -o.
std::filesystem::path default_result(const Study& study);

/// What the runs of a pilot, or the first blocks of the study itself, say about the rest. Throws an
/// Error if the directory holds no result, or if none of its good runs emitted the study's window.
PlanInput learn_from(const std::filesystem::path& result, const Study& study, const Design& design);

/// The same of a result that need not be there; nothing if it is not, or if it cannot be read.
std::optional<PlanInput> learn_if_there(const std::filesystem::path& result, const Study& study,
                                        const Design& design);

}  // namespace prengdl
