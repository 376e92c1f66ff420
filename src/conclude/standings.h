// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/comparison.h"

namespace prengdl {

/// With this many compared levels there are too many pairs to read individually: a ranking of the
/// levels comes first.
constexpr std::size_t many_levels = 4;

/// How one level stands in all comparisons by one measure.
struct LevelStanding {
  std::string level;
  std::size_t cases = 0;     // in which it was compared
  std::size_t least_in = 0;  // of these: no other level has a lower cost
  std::size_t less = 0;      // comparisons that show that it costs less,
  std::size_t more = 0;      // that it costs more,
  std::size_t open = 0;      // and neither
  double over_least = 1;     // its cost over the lowest of the case: geometric mean over cases
};

/// The level of the lowest cost in a case, and for which others more is not shown.
struct CaseStanding {
  CellPattern cell;
  std::string least;
  double cost = 0;
  std::optional<std::string> per;  // the work that the cost is divided by
  std::size_t others = 0;
  std::vector<std::string> not_shown_to_cost_more;
};

struct Standings {
  std::vector<LevelStanding> levels;  // the lowest over_least first
  std::vector<CaseStanding> cases;    // in the order of the findings
  std::size_t comparisons = 0;
  std::size_t shown = 0;  // of these: one of the two costs less

  /// Whether the pair has the level of the lowest cost in its case.
  bool has_least(const Comparison& one) const;

  /// The level of the lowest cost in the case; empty where the case is not known.
  std::string least_of(const CellPattern& cell) const;
};

/// The measure that the answer is about, in words, tables and charts alike: the primary one, or
/// time if the primary one was not measured in any comparison.
std::string headline_measure(const Findings& findings);

/// Of comparisons by this measure that have runs. Costs are geometric means.
Standings standings(const Findings& findings, const std::string& measure);

}  // namespace prengdl
