// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/lifecycle.h"
#include "report/json.h"
#include "report/terminal.h"

namespace prengdl {

std::string lifecycle_text(const Lifecycle& lifecycle, const Style& style);
Json lifecycle_json(const Lifecycle& lifecycle);

}  // namespace prengdl
