// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/measure_commands.h"
#include "meters/meter.h"
#include "model/aa_record.h"

namespace prengdl {

/// One command (a loop of the shell if empty) so many times under each of two labels. Throws a
/// UsageError if these are too few.
CommandPlan aa_plan(std::size_t pairs, const std::vector<std::string>& command);

/// Runs it in turns and gives what that shows of the machine with this fingerprint. Throws an Error
/// if the command fails or is interrupted.
AaRecord measure_aa(const CommandPlan& plan, const MeasureSettings& settings,
                    const std::string& fingerprint, const Meters& meters, Clock& clock);

}  // namespace prengdl
