// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conclude/gate.h"
#include "model/result.h"
#include "model/run.h"

namespace prengdl {

/// The runs of one side that gate looks at.
struct GateRuns {
  std::string label;
  std::vector<Run> runs;
  std::size_t failed = 0;             // runs that are missing among them
  std::vector<std::string> machines;  // fingerprints; empty: measured here, both sides alike
};

/// Of runs that were measured now, those that succeeded.
GateRuns measured_runs(const std::string& label, const std::vector<Run>& runs);

/// Of a cell's runs in a result, those that count for every command (model/counted_runs.h). A
/// failed run whose place has a good one by now is not missing.
GateRuns stored_runs(const std::string& label, const std::vector<StoredRun>& runs, bool has_blocks);

/// `paired`: by block. Throws if the runs of a side have the energy of different domains.
GateInput gate_input(const GateRuns& base, const GateRuns& candidate, bool paired,
                     const std::string& primary = "metered");

}  // namespace prengdl
