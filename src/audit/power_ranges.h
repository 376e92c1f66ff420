// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/units.h"

namespace prengdl {

/// The mean power that a part of a machine can have over a run. docs/reference/audit.md shows this
/// table.
struct PowerRange {
  std::string_view domain;
  Watts low;         // below this a unit is wrong, or the meter reads something else
  Watts high;        // of one part: a socket, a card
  double parts = 1;  // the most parts whose sum an imported column may hold
};

std::span<const PowerRange> power_ranges();

/// Nothing for a domain that is not in the table: its power can be anything.
std::optional<PowerRange> power_range_of(std::string_view domain);

}  // namespace prengdl
