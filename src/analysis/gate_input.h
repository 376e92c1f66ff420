// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/gate.h"
#include "model/run.h"

namespace prengdl {

/// The input from runs: good ones only, paired by block if `paired`. The caller adds the machines
/// where the two do not come from one series.
GateInput gate_input(const std::string& base_label, const std::vector<Run>& base,
                     const std::string& candidate_label, const std::vector<Run>& candidate,
                     bool paired, const std::string& primary = "metered");

}  // namespace prengdl
