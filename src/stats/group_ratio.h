// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/error.h"
#include "stats/log_ratio.h"

namespace prengdl {

/// The geometric mean of the ratios of several units (models of a group, say), as a statement on
/// *units like these*: they are the sample, and Student's t on their log ratios has one degree of
/// freedom less than units. Weights, one per unit, say how precisely a unit is known (as in a
/// weighted regression on a constant); none means equal. Refuses fewer than two units.
Result<LogRatio> ratio_over_units(std::span<const double> ratios,
                                  std::span<const double> weights = {});

/// The geometric mean of the ratios as a statement on *these units and no others*: what is
/// uncertain is each unit's own ratio, from its runs. Standard errors add as squares, degrees of
/// freedom after Satterthwaite (1946). Weights, one per unit, say how much a unit counts; none
/// means equal. One unit gives that unit's own ratio and interval.
Result<LogRatio> ratio_of_these_units(std::span<const LogRatio> units,
                                      std::span<const double> weights = {});

}  // namespace prengdl
