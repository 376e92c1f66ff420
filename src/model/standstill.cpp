// SPDX-License-Identifier: Apache-2.0
#include "model/standstill.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace prengdl {
namespace {

/// Between full load and deep idle the power of a package, of memory or of a GPU falls by a factor
/// of 100 at most.
constexpr double deepest_idle = 1.0 / 250;
constexpr std::size_t fewest_readings = 10;
constexpr std::size_t fewest_changes = 10;
constexpr Seconds shortest{0.1};
constexpr double most_updates =
    20;  // so many that would have been due are missed by no slow counter

}  // namespace

void Standstill::add(std::int64_t at_ns, double joules) {
  if (is_first_) {
    is_first_ = false;
    first_ns_ = at_ns;
    first_joules_ = joules_ = joules;
    now_ = {{at_ns, at_ns}, 1, 0};
    return;
  }
  const double change = joules - joules_;
  if (change == 0) {
    now_.interval.to_ns = std::max(now_.interval.to_ns, at_ns);
    ++now_.readings;
    return;
  }
  // The changes of a fine counter differ by a little, those of a coarse one are all its step.
  for (const double step : {change, std::abs(change - last_change_)})
    if (step > 0 && (smallest_step_ == 0 || step < smallest_step_)) smallest_step_ = step;
  last_change_ = change;
  joules_ = joules;
  ++changes_;
  now_.made_up = change;
  end_still();
  now_ = {{at_ns, at_ns}, 1, 0};
}

void Standstill::end_still() {
  const auto length = [](const Still& still) {
    return still.interval.to_ns - still.interval.from_ns;
  };
  if (length(now_) > length(longest_)) longest_ = now_;
}

std::optional<Standstill::Interval> Standstill::stuck() const {
  Standstill until_now = *this;
  until_now.end_still();
  const Still& still = until_now.longest_;
  const Seconds stood = seconds_between(still.interval.from_ns, still.interval.to_ns);
  const Seconds moved = seconds_between(first_ns_, now_.interval.to_ns) - stood;
  if (still.readings < fewest_readings || changes_ < fewest_changes || stood < shortest ||
      stood < moved * (most_updates / static_cast<double>(changes_)) || moved <= Seconds{0})
    return std::nullopt;
  const Watts usual = Joules{joules_ - first_joules_} / moved;
  const Watts at_most = Joules{smallest_step_} / stood;
  if (at_most.value > usual.value * deepest_idle) return std::nullopt;
  if (Joules{still.made_up} > usual * (stood / 2)) return std::nullopt;  // late, but all there
  return still.interval;
}

}  // namespace prengdl
