// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tables/terminal.h"

namespace prengdl {

/// A ratio with its interval, drawn as one line. All texts are printable.
struct IntervalRow {
  std::string label;
  double ratio = 1;
  std::optional<std::array<double, 2>> interval;
  bool is_shown = false;  // a difference is shown: the line is coloured by its side
  bool is_group = false;  // several cases as one
};

struct IntervalChart {
  std::vector<IntervalRow> rows;
  double margin = 0;                   // shaded around 1
  std::array<std::string, 2> sides{};  // what a ratio below and above 1 means; may be empty
};

/// A forest plot in text: ratios on a log scale around 1, a line for each with its figure,
/// `├──●──┤`, the margin shaded, `<` and `>` where an interval goes beyond the scale. It fills the
/// width of a terminal up to a limit. Empty if there is nothing to draw or no room for it.
std::string interval_chart(const IntervalChart& chart, const Style& style);

}  // namespace prengdl
