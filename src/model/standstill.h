// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace prengdl {

/// Finds out whether a counter got stuck while it was read. A counter whose value stays the same
/// says that less was drawn than its smallest step. If that would be a tiny share of what it showed
/// at other times, the counter stopped, not the machine. A domain that is idle under a coarse
/// counter draws little at all times and is not stuck.
class Standstill {
 public:
  /// A reading of `joules` in total, in the order in which they were taken.
  void add(std::int64_t at_ns, double joules);

  struct Interval {
    std::int64_t from_ns{};
    std::int64_t to_ns{};
  };

  /// For how long it was stuck, by all readings so far.
  std::optional<Interval> stuck() const;

 private:
  struct Still {
    Interval interval;
    std::size_t readings = 0;  // of the same value
    double made_up = 0;        // by the change after it
  };
  void end_still();

  Still now_;
  Still longest_;
  std::int64_t first_ns_ = 0;
  double first_joules_ = 0;
  double joules_ = 0;
  double last_change_ = 0;
  double smallest_step_ = 0;  // of its value, as far as its changes show it; 0: not seen yet
  std::size_t changes_ = 0;
  bool is_first_ = true;
};

}  // namespace prengdl
