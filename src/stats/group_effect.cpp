// SPDX-License-Identifier: Apache-2.0
#include "stats/group_effect.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <vector>

#include "stats/group_ratio.h"
#include "stats/summary.h"

namespace prengdl {

Result<GroupedRatio> ratio_over_groups(std::span<const LogRatio> groups) {
  constexpr double pooling_level = 0.25;
  if (groups.size() < 2) return failure("groups can differ only from each other");
  std::vector<double> logs;
  double within = 0;
  for (const auto& group : groups) {
    if (!(group.ratio > 0) || !(group.standard_error > 0))
      return failure("a group has no error of its own");
    logs.push_back(std::log(group.ratio));
    within += group.standard_error * group.standard_error;
  }
  within /= static_cast<double>(groups.size());
  const auto pooled = ratio_of_these_cases(groups);
  if (!pooled) return tl::unexpected(pooled.error());
  const auto freedom = static_cast<double>(groups.size() - 1);
  const double spread = standard_deviation(logs);
  const boost::math::fisher_f distribution(freedom, pooled->freedom);
  GroupedRatio result;
  result.p_differ =
      boost::math::cdf(boost::math::complement(distribution, spread * spread / within));
  result.is_pooled = result.p_differ > pooling_level;
  const double error = spread / std::sqrt(static_cast<double>(groups.size()));
  result.ratio = result.is_pooled ? *pooled : log_ratio_of(mean(logs), error, freedom);
  return result;
}

}  // namespace prengdl
