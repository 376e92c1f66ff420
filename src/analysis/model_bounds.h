// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/energy_bounds.h"
#include "model/power_model.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// Two of the compared levels in one case on one machine, without a meter.
struct BoundedComparison {
  CellPattern cell;
  std::array<std::string, 2> pair;  // ratios are of the first over the second
  std::string machine;              // fingerprint
  std::array<std::size_t, 2> n{};
  std::optional<std::string> per;  // the work that usage is divided by
  bool knows_cpu_time = false;     // else each may have kept no CPU busy, or all of them
  bool knows_memory = false;       // else each may have held none of it, or all
  EnergyBounds bounds;
};

struct ModelBounds {
  std::map<std::string, AssumedModels> machines;  // by fingerprint
  std::vector<BoundedComparison> comparisons;
  std::vector<std::string> notes;
};

/// The intervals of possible energy ratios, from the whole runs' seconds, CPU seconds and memory;
/// joules are not looked at. `models` by the machines' fingerprints; runs of a machine that is not
/// among them are left out, with a note. Coefficients belong to a machine, so runs of several are
/// compared on each by itself.
ModelBounds model_bounds(const Study& study, const std::vector<StoredRun>& runs,
                         const std::map<std::string, PowerModel>& models, bool paired);

/// What all bounds assume, as one sentence for people.
std::string model_assumption();

/// Whether no good run has energy from a meter: then these bounds are all that can be said.
bool lacks_a_meter(const std::vector<StoredRun>& runs);

}  // namespace prengdl
