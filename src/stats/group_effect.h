// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/error.h"
#include "stats/log_ratio.h"

namespace prengdl {

/// One ratio from those of several machines, and whether these differ.
struct GroupedRatio {
  LogRatio ratio;
  double p_differ = 1;  // that machines with the same ratio are so far apart (F test)
  bool is_pooled = false;
};

/// The mean of the groups' log ratios, with groups as a random effect. If an F test of the groups
/// against the error within them stays above 0.25 they are pooled, and what is uncertain is the
/// error within (Bozivich, Bancroft and Hartley 1956, Annals of Mathematical Statistics 27);
/// otherwise the groups are the sample. Refuses fewer than two groups and groups without an error
/// of their own.
Result<GroupedRatio> ratio_over_groups(std::span<const LogRatio> groups);

}  // namespace prengdl
