// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/local_executor.h"
#include "campaign/measure_commands.h"
#include "meters/meter.h"
#include "model/aa_record.h"

namespace prengdl {

/// One command (a loop of the shell if empty) so many times under each of two labels. Throws a
/// UsageError if these are too few.
CommandPlan aa_plan(std::size_t pairs, const std::vector<std::string>& command);

/// Runs it alternately and gives what that shows of the machine with this fingerprint. Throws an
/// Error if the command fails or is interrupted.
AaRecord measure_aa(const CommandPlan& plan, const MeasureSettings& settings,
                    const std::string& fingerprint, const Meters& meters, Clock& clock);

/// A study of two labels for what one cell runs, or for the study's `aa_command`: under the same
/// protocol, in the same environment, after a warm-up.
Study aa_study(const Study& study, const Cell& cell);

/// Runs it; none of its runs is kept. Nothing if the user interrupts it. Throws an Error if the
/// command fails. Events go to `keeper`.
std::optional<AaRecord> measure_study_aa(const Study& labels, const LocalSettings& settings,
                                         const TellProgress& progress, const Meters& meters,
                                         Clock& clock, RunKeeper& keeper);

}  // namespace prengdl
