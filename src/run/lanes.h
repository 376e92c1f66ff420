// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/units.h"
#include "meters/meter.h"
#include "run/sampler.h"

namespace prengdl {

/// The meters of a run, by how they are read.
struct Lanes {
  std::vector<const MeterInfo*> infos;  // by the samples' meter index
  std::vector<Sampled> quick;
  std::vector<Sampled> patient;
};

/// `tree`: the channels of the workload's own processes. Refuses an interval in which a counter
/// could wrap unseen.
Lanes lanes_of(const Meters& meters, const Meters& tree, Seconds interval);

}  // namespace prengdl
