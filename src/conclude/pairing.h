// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/comparison.h"
#include "model/result.h"

namespace prengdl {

/// How the runs of two levels were made, by their start times.
struct RunOrder {
  bool is_paired = false;  // runs of one block on one machine are compared as pairs
  Pairing pairing;
  std::optional<CaveatText> caveat;  // what the order itself does to the comparison
};

/// That a difference between levels may be one between machines.
CaveatText confounded_machine();

/// Runs of one block are pairs if their start times prove it: the pairs follow each other without
/// overlapping, and either level started first in at least a quarter of them. Blocks of imported
/// runs without start times, or with times too coarse to order them, are taken at the importer's
/// word, as not proved. Without proof, or
/// if the result has no blocks, the levels are independent samples; then a level that ran as a
/// whole before the other is a caveat.
RunOrder order_of_runs(const std::vector<const StoredRun*>& a,
                       const std::vector<const StoredRun*>& b,
                       const std::array<std::string, 2>& levels, bool has_blocks);

}  // namespace prengdl
