// SPDX-License-Identifier: Apache-2.0
#include "report/thinning.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"

namespace prengdl {

Thinning::Thinning(std::size_t runs, std::size_t groups)
    : runs_(runs),
      most_of_group_(std::max(least_of_group, most_marks / std::max<std::size_t>(1, groups))) {}

std::vector<std::size_t> Thinning::shown(std::size_t count) const {
  const std::size_t kept = is_needed() ? std::min(count, most_of_group_) : count;
  std::vector<std::size_t> places(kept);
  for (std::size_t i = 0; i < kept; ++i)
    places[i] = kept == count ? i : i * (count - 1) / (kept - 1);
  return places;
}

std::string Thinning::says(const std::string& mark, const std::string& how) const {
  if (!is_needed()) return fmt::format("{} for each of {}", mark, counted(runs_, "run"));
  return fmt::format(
      "{} for each of a part of the {} runs, which are too many for a chart: up to {} of each "
      "cell, {} (`prengdl export` prints every run)",
      mark, runs_, most_of_group_, how);
}

}  // namespace prengdl
