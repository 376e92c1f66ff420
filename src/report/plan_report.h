// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/plan.h"

namespace prengdl {

/// With `order` every run in its order, else only how many there are.
std::string plan_text(const Plan& plan, bool order, bool colour);

std::string plan_json(const Plan& plan);  // prengdl.plan/1

}  // namespace prengdl
