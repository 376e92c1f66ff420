// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/gate.h"
#include "report/terminal.h"

namespace prengdl {

std::string gate_text(const GateResult& result, const Style& style);

/// For the comment of a pull request: a verdict, a table, how it was tested.
std::string gate_markdown(const GateResult& result);

std::string gate_json(const GateResult& result);  // prengdl.gate/1

}  // namespace prengdl
