// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/terminal.h"

namespace prengdl {

/// A ratio with its interval, to be drawn as one line.
struct IntervalRow {
  std::string label;  // printable
  double ratio = 1;
  std::optional<std::array<double, 2>> interval;
};

/// Ratios on a log scale around 1 in text: a line for each, `├──●──┤`, the margin shaded, `<` and
/// `>` where an interval goes beyond the scale. Empty if there is nothing to draw.
std::string interval_chart(const std::vector<IntervalRow>& rows, double margin, const Style& style);

}  // namespace prengdl
