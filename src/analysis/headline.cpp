// SPDX-License-Identifier: Apache-2.0
#include "analysis/headline.h"

#include <algorithm>

namespace prengdl {

std::string headline_measure(const Findings& findings) {
  const auto& families = findings.families;
  const auto primary = std::find_if(families.begin(), families.end(),
                                    [](const Family& family) { return family.is_primary; });
  if (primary == families.end()) return families.empty() ? "seconds" : families.front().measure;
  const bool has_time = std::any_of(families.begin(), families.end(), [](const Family& family) {
    return family.measure == "seconds";
  });
  if (!has_time) return primary->measure;
  bool is_modelled = false, is_measured = false;
  for (const auto& one : findings.comparisons) {
    if (one.measure != primary->measure || one.n == 0) continue;
    (one.quality == Quality::model ? is_modelled : is_measured) = true;
  }
  return is_modelled && !is_measured ? "seconds" : primary->measure;
}

}  // namespace prengdl
