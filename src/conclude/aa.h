// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/aa_record.h"
#include "model/run.h"

namespace prengdl {

/// Fewer pairs know their own spread too badly to be worth keeping.
constexpr std::size_t fewest_aa_pairs = 5;

/// What the runs of one command under two labels say of the machine: by energy, where it was
/// measured and not modelled, and by seconds. A measure whose runs do not differ at all is left
/// out: its meter stands still. Throws an Error with fewer than five pairs.
std::vector<AaMeasure> judge_aa(const std::vector<Run>& first, const std::vector<Run>& second);

/// The smallest ratio above 1 that this machine can show with so many pairs. Nothing below two.
std::optional<double> detectable_ratio(const AaMeasure& measure, std::size_t pairs,
                                       double alpha = 0.05, double power = 0.8);

}  // namespace prengdl
