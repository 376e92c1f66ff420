// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/terminal.h"
#include "run/plan.h"

namespace prengdl {

/// With `order` every run in its order, else only how many there are.
std::string plan_text(const Plan& plan, bool order, const Style& style);

std::string plan_json(const Plan& plan);  // prengdl.plan/1

/// The runs that a start of `run` would make, and the time they take if it is known.
std::string due_text(const Plan& plan, const std::vector<PlannedRun>& due,
                     const std::optional<Seconds>& time, const Style& style);

}  // namespace prengdl
