// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/error.h"
#include "stats/log_ratio.h"

namespace prengdl {

/// The geometric mean of the ratios of several cases (models of a group, say), as a statement on
/// *cases like these*: they are the sample, and Student's t on their log ratios has one degree of
/// freedom less than cases. Weights, one per case, say how precisely a case is known (as in a
/// weighted regression on a constant); none means equal. Refuses fewer than two cases.
Result<LogRatio> ratio_over_cases(std::span<const double> ratios,
                                  std::span<const double> weights = {});

/// The geometric mean of the ratios as a statement on *these cases and no others*: what is
/// uncertain is each case's own ratio, from its runs. Standard errors add as squares, degrees of
/// freedom after Satterthwaite (1946). Weights, one per case, say how much a case counts; none
/// means equal. One case gives that case's own ratio and interval.
Result<LogRatio> ratio_of_these_cases(std::span<const LogRatio> cases,
                                      std::span<const double> weights = {});

}  // namespace prengdl
