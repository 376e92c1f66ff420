// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/energy.h"

namespace prengdl {

/// One meter's energy in a window, or why there is none.
struct MeterEnergy {
  const MeterInfo* meter = nullptr;
  std::optional<Energy> energy;
};

/// Joules by domain, and their sum without overlap.
struct Totals {
  std::map<std::string, Energy> domains;
  std::optional<Energy> metered;
  std::vector<std::string> covers;  // the domains in `metered`
};

/// The meters whose domains make up `metered`: parts that do not overlap; where there is no package
/// the platform; where there is no part at all the machine.
std::vector<std::string> metered_domains(const std::vector<const MeterInfo*>& meters);

/// Adds meters of one domain (two sockets, four GPUs) and the domains of `metered`. A domain of
/// which one meter has no figure has none: a sum with a hole looks like a saving.
Totals total(const std::vector<MeterEnergy>& energies);

}  // namespace prengdl
