// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/accuracy.h"
#include "analysis/reach.h"
#include "report/json.h"
#include "report/terminal.h"

namespace prengdl {

/// "37 %": a probability to whole percents.
std::string whole_percent(double share);

std::string accuracy_text(const Accuracy& accuracy, const Style& style);
Json accuracy_json(const Accuracy& accuracy);

std::string reach_text(const Reaches& reaches, const Style& style);
Json reach_json(const Reaches& reaches);

}  // namespace prengdl
