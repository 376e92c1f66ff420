// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "model/learnt_counter.h"
#include "model/meter_info.h"
#include "model/reading.h"
#include "model/standstill.h"

namespace prengdl {

/// Joules with the half-width of the interval that holds the error of reading them. That is not the
/// accuracy of the sensor, which no reader can know.
struct Energy {
  Joules value{};
  Joules uncertainty{};
  Quality quality = Quality::chip;
};

/// No source that a host can hold draws more through one counter; a larger step is a fault.
constexpr Watts most_plausible_power{5000};

/// Whether a counter's step has to be learnt from its readings. A model has no step; a counter that
/// states how often it changes states its step, too.
bool learns_step(const MeterInfo& info);

/// Raw units from one reading of a counter to the next, by the meter's range if it wrapped. Nothing
/// if the counter went backwards without a range to wrap at.
std::optional<std::uint64_t> counted_between(const MeterInfo& info, std::uint64_t before,
                                             std::uint64_t after);

/// Energy between two readings of a counter; nothing if one of them failed or time ran backwards.
std::optional<Joules> energy_between(const MeterInfo& info, const Reading& before,
                                     const Reading& after);

/// The longest time between two readings in which a wrap cannot hide; nothing if it never wraps.
std::optional<Seconds> longest_safe_interval(const MeterInfo& info);

/// The one road from readings to energy: joules of one meter up to each of a set of times, in a
/// single pass, so that any window of a run costs no more memory than its two ends.
class EnergyCurve {
 public:
  /// `times_ns` ascending. The energy of the window from times_ns[i] to times_ns[j] is asked by
  /// window(i, j) after finish().
  EnergyCurve(const MeterInfo& info, std::vector<std::int64_t> times_ns);

  /// Readings in the order in which they were taken.
  void add(const Reading& reading);
  void finish();

  /// Nothing where the readings do not cover the window, or a fault lies in it.
  std::optional<Energy> window(std::size_t from, std::size_t to) const;

  /// Whether the window is at least half an update long, or both its ends are bound to known steps
  /// of the counter, and its energy is more than a quantum of the meter at each end. Where it is
  /// not, the window is too short for the meter, or a counter stands still. If the counter's step
  /// had to be learnt: whether its energy is more than twice its uncertainty. Asked after window().
  bool is_resolved(std::size_t from, std::size_t to) const;

  /// Of a counter that stopped while the machine kept running; a window over it has no true figure.
  std::optional<Standstill::Interval> stuck() const;

  std::size_t readings() const { return readings_; }
  std::size_t failures() const { return failures_; }
  ReadStatus last_failure() const { return last_failure_; }

 private:
  struct Point {  // what is known at one moment on the curve
    std::int64_t at_ns{};
    double joules{};
    double watts{};    // of a gauge; of a counter its mean power up to here, over some steps
    double slack_s{};  // the moment is uncertain by this much
  };
  struct Answer {
    bool known = false;
    double joules{};
    double uncertainty{};
    double slack_s{};      // of a counter: its value may be this much older or newer
    std::size_t faults{};  // faults before this time; a window across one has no figure
  };

  struct Moment {
    std::int64_t at_ns{};
    double slack_s{};  // it is uncertain by this much
  };

  std::optional<Point> point_of(const Reading& reading);
  Moment value_came_about(const Reading& reading) const;
  double recent_power(const Point& point);
  void advance_to(const Point& point);
  Answer between(const Point& a, const Point& b, std::int64_t at_ns) const;
  double reading_error(std::size_t from, std::size_t to) const;

  MeterInfo info_;
  std::vector<std::int64_t> times_;
  Standstill standstill_;
  std::optional<LearntCounter> learnt_;  // in place of what is below, if nobody states its step
  std::vector<Answer> answers_;
  std::size_t next_ = 0;  // first time that is not answered yet
  std::optional<Point> last_;
  std::optional<Point> near_, far_;  // between which and now recent_power is taken
  std::optional<Moment> edge_;       // the last step that was seen
  std::optional<std::uint64_t> last_raw_;
  std::int64_t last_read_ns_ = 0;
  double joules_ = 0;
  std::size_t faults_ = 0;
  std::size_t readings_ = 0;
  std::size_t failures_ = 0;
  ReadStatus last_failure_ = ReadStatus::ok;
};

}  // namespace prengdl
