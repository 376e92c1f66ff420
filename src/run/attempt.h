// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meters/meter.h"
#include "model/baseline.h"
#include "model/run.h"
#include "run/attempt_settings.h"

namespace prengdl {

/// Runs the command once and measures it. Throws an Error when it cannot be started; a command that
/// fails, times out or is interrupted is still a Run.
Run attempt(const AttemptSettings& settings, const Meters& meters,
            const std::optional<Baseline>& baseline = {}, const WhileRunning& progress = {});

}  // namespace prengdl
