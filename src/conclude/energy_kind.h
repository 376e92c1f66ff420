// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/meter_info.h"
#include "model/result.h"

namespace prengdl {

/// What the energy of these runs is worth: the worst of them decides. Nothing if none has any.
std::optional<Quality> worst_quality(const std::vector<const StoredRun*>& runs,
                                     const std::string& measure);

/// Why the energies of two levels are not of the same kind: `metered` may be the sum of other
/// domains in one than in the other. "" if they are.
std::string other_domains(const std::vector<const StoredRun*>& a,
                          const std::vector<const StoredRun*>& b, const std::string& measure);

}  // namespace prengdl
