// SPDX-License-Identifier: Apache-2.0
#include "model/energy.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace prengdl {
namespace {

/// Counters keep their pace to this share of it, and from a step that was seen so many others are
/// reckoned: Intel's take 0.976 ms as well as 1 ms.
constexpr double unknown_pace = 0.025;
constexpr double steps_from_edge = 3;

/// A counter that does not state how often it changes may do so this seldom.
constexpr Seconds slowest_update{10};

}  // namespace

bool learns_step(const MeterInfo& info) {
  return info.kind == Kind::counter && info.quality != Quality::model && info.update == Seconds{0};
}

std::optional<std::uint64_t> counted_between(const MeterInfo& info, std::uint64_t before,
                                             std::uint64_t after) {
  if (after >= before) return after - before;
  if (!info.range || before >= *info.range) return std::nullopt;
  return *info.range - before + after;
}

std::optional<Joules> energy_between(const MeterInfo& info, const Reading& before,
                                     const Reading& after) {
  if (before.status != ReadStatus::ok || after.status != ReadStatus::ok) return std::nullopt;
  if (after.at_ns < before.at_ns) return std::nullopt;
  const auto counted = counted_between(info, before.raw, after.raw);
  if (!counted) return std::nullopt;
  return Joules{static_cast<double>(*counted) * info.step};
}

std::optional<Seconds> longest_safe_interval(const MeterInfo& info) {
  if (info.kind != Kind::counter || !info.range) return std::nullopt;
  return Seconds{static_cast<double>(*info.range) * info.step / most_plausible_power.value};
}

EnergyCurve::EnergyCurve(const MeterInfo& info, std::vector<std::int64_t> times_ns)
    : info_(info), times_(std::move(times_ns)), answers_(times_.size()) {
  if (learns_step(info)) learnt_.emplace(times_);
}

void EnergyCurve::add(const Reading& reading) {
  ++readings_;
  if (reading.status != ReadStatus::ok) {
    ++failures_;
    last_failure_ = reading.status;
    return;
  }
  if (const auto point = point_of(reading)) advance_to(*point);
}

/// Where the reading lies on the curve: when its value was true, which is earlier than the read.
std::optional<EnergyCurve::Point> EnergyCurve::point_of(const Reading& reading) {
  Point point;
  if (info_.kind == Kind::counter) {
    if (last_raw_) {
      const auto counted = counted_between(info_, *last_raw_, reading.raw);
      const Seconds gap = seconds_between(last_read_ns_, reading.at_ns);
      const auto safe = longest_safe_interval(info_);
      // A counter that was reset, or that may have wrapped unseen, starts a new count.
      const Seconds update = learnt_ ? slowest_update : info_.update;
      const bool fault = !counted || (safe && gap > *safe) ||
                         static_cast<double>(*counted) * info_.step >
                             most_plausible_power.value * (gap + update).count() + 1.0;
      if (fault) {
        ++faults_;
        standstill_ = {};
        last_ = near_ = far_ = std::nullopt;  // what was counted in between is not known
        if (learnt_) learnt_->restart();
      } else {
        joules_ += static_cast<double>(*counted) * info_.step;
      }
    }
    last_raw_ = reading.raw;
    last_read_ns_ = reading.at_ns;
    if (info_.quality != Quality::model) standstill_.add(reading.at_ns, joules_);
    if (learnt_) {
      learnt_->add(reading.at_ns, joules_, reading.slack_ns * 1e-9);
      return std::nullopt;
    }
    point.joules = joules_;
    const Moment moment = value_came_about(reading);
    if (reading.mark == Mark::edge) edge_ = moment;
    point.at_ns = moment.at_ns;
    point.slack_s = moment.slack_s;
    if (last_ && point.at_ns < last_->at_ns) point.at_ns = last_->at_ns;
    point.watts = recent_power(point);
    return point;
  }

  point.at_ns = reading.at_ns - nanoseconds(info_.lag + info_.window / 2);
  point.watts = static_cast<double>(static_cast<std::int64_t>(reading.raw)) * info_.step;
  point.slack_s = info_.update.count() / 2;
  if (last_) {
    if (point.at_ns <= last_->at_ns) return std::nullopt;  // the same value reported again
    const double seconds = seconds_between(last_->at_ns, point.at_ns).count();
    joules_ += (last_->watts + point.watts) / 2 * seconds;
  }
  point.joules = joules_;
  return point;
}

/// When a counter's value, as it was read, was new.
EnergyCurve::Moment EnergyCurve::value_came_about(const Reading& reading) const {
  if (reading.mark == Mark::edge) return {reading.at_ns, reading.slack_ns * 1e-9};
  const double update = info_.update.count();
  // Soon after a step that was seen the others follow at the counter's pace. A run begins at a
  // step, so at a rate near that pace all its first readings come right after one.
  if (edge_ && update > 0) {
    const double steps = seconds_between(edge_->at_ns, reading.at_ns).count() / update;
    const double whole = std::floor(steps);
    const double slack_s = edge_->slack_s + whole * unknown_pace * update;
    const double unsure = slack_s / update + unknown_pace;  // on which side of a step it was read
    if (whole >= 0 && whole <= steps_from_edge && steps - whole > unsure &&
        whole + 1 - steps > unsure)
      return {edge_->at_ns + nanoseconds(whole * info_.update), slack_s};
  }
  // Elsewhere the value of a counter that steps every `update` is half a step old on average.
  return {reading.at_ns - nanoseconds(info_.update / 2), update / 2};
}

/// Over four to eight steps of the counter where there are so many, so that one more or less does
/// not matter.
double EnergyCurve::recent_power(const Point& point) {
  if (!near_) near_ = far_ = point;
  if (point.at_ns > near_->at_ns && point.at_ns - near_->at_ns >= nanoseconds(4 * info_.update)) {
    far_ = near_;
    near_ = point;
  }
  const double span = seconds_between(far_->at_ns, point.at_ns).count();
  return span > 0 ? (point.joules - far_->joules) / span : 0;
}

void EnergyCurve::advance_to(const Point& point) {
  while (next_ < times_.size() && times_[next_] <= point.at_ns) {
    if (last_) {
      answers_[next_] = between(*last_, point, times_[next_]);
    } else if (info_.kind == Kind::gauge) {
      // Before its first value a gauge is taken to have stood there, for as long as it averages.
      const Seconds before = seconds_between(times_[next_], point.at_ns);
      if (before <= info_.window + info_.lag + 2 * std::max(info_.update, info_.period)) {
        answers_[next_] = {true, -point.watts * before.count(),
                           std::abs(point.watts) * before.count() / 2, 0, 0};
      }
    } else if (times_[next_] >= point.at_ns - nanoseconds(info_.update / 2)) {
      const Seconds before = seconds_between(times_[next_], point.at_ns);
      answers_[next_] = {true, point.joules, 0, before.count() + point.slack_s, 0};
    }
    answers_[next_].faults = faults_;
    ++next_;
  }
  last_ = point;
}

EnergyCurve::Answer EnergyCurve::between(const Point& a, const Point& b, std::int64_t at_ns) const {
  const double span = seconds_between(a.at_ns, b.at_ns).count();
  if (span <= 0) return {true, b.joules, 0, b.slack_s, 0};
  const double from_a = seconds_between(a.at_ns, at_ns).count();
  const double to_b = span - from_a;
  Answer answer{true, 0, 0, 0, 0};
  if (info_.kind == Kind::counter) {
    const double watts = (b.joules - a.joules) / span;
    answer.joules = a.joules + watts * from_a;
    // Inside the bracket the power may have been uneven by half; at its ends only the moment of
    // the counter's last step is not known.
    answer.slack_s = from_a < to_b ? a.slack_s : b.slack_s;
    answer.uncertainty = watts * (std::min(from_a, to_b) / 2 + answer.slack_s) +
                         std::max(info_.step / 2, info_.quantum);
    return answer;
  }
  const double slope = (b.watts - a.watts) / span;
  answer.joules = a.joules + (a.watts + slope * from_a / 2) * from_a;
  const double change = std::abs(b.watts - a.watts);
  answer.uncertainty = change * (std::min(from_a, to_b) / 2 + std::max(a.slack_s, b.slack_s)) +
                       info_.quantum / 2 * std::min(from_a, to_b);
  // A mean over a window turns a jump into a slope of that length; an end of ours at the jump gains
  // or loses the triangle between the two.
  const double window = info_.window.count();
  answer.uncertainty += std::abs(slope) * window * window / 8;
  return answer;
}

void EnergyCurve::finish() {
  if (learnt_) {
    learnt_->finish();
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const auto& answer = learnt_->at(i);
      answers_[i] = {answer.known, answer.joules, answer.uncertainty, 0, answer.faults};
    }
    return;
  }
  for (; next_ < times_.size(); ++next_) {
    if (!last_) continue;
    const Seconds after = seconds_between(last_->at_ns, times_[next_]);
    const Seconds reach = info_.kind == Kind::counter
                              ? info_.update
                              : info_.window + info_.lag + 2 * std::max(info_.update, info_.period);
    if (after > reach) continue;
    // Past the last reading power is held. A counter's reading needs that too: taken right at a
    // time it shows a value that is half a step old.
    const double held = last_->watts * after.count();
    answers_[next_] = {true, last_->joules + held, std::abs(held) / 2, last_->slack_s, faults_};
    if (info_.kind == Kind::counter) answers_[next_].uncertainty += last_->watts * last_->slack_s;
  }
}

/// Of both ends together. Two readings between which a counter did not step say nothing about its
/// power: then the power of the whole window says how much its slack is worth.
double EnergyCurve::reading_error(std::size_t from, std::size_t to) const {
  const Answer& a = answers_.at(from);
  const Answer& b = answers_.at(to);
  if (learnt_) return learnt_->uncertainty(from, to) + 2 * std::max(info_.step / 2, info_.quantum);
  const double seconds = seconds_between(times_.at(from), times_.at(to)).count();
  const double slack_watts =
      info_.kind == Kind::counter && seconds > 0 ? std::abs(b.joules - a.joules) / seconds : 0;
  return std::max(a.uncertainty, slack_watts * a.slack_s) +
         std::max(b.uncertainty, slack_watts * b.slack_s);
}

bool EnergyCurve::is_resolved(std::size_t from, std::size_t to) const {
  const Answer& a = answers_.at(from);
  const Answer& b = answers_.at(to);
  if (learnt_) return b.joules - a.joules > 2 * reading_error(from, to);
  const bool is_long_enough = seconds_between(times_.at(from), times_.at(to)) >= info_.update / 2;
  // Between steps whose moments are known even less than a step is stated, with what is unsure of
  // it.
  const double known_step = info_.update.count() / 4;
  const bool has_known_ends =
      info_.kind == Kind::counter && a.slack_s <= known_step && b.slack_s <= known_step;
  return (is_long_enough || has_known_ends) &&
         b.joules - a.joules > 2 * std::max(info_.step, info_.quantum);
}

std::optional<Standstill::Interval> EnergyCurve::stuck() const { return standstill_.stuck(); }

std::optional<Energy> EnergyCurve::window(std::size_t from, std::size_t to) const {
  const Answer& a = answers_.at(from);
  const Answer& b = answers_.at(to);
  if (!a.known || !b.known || a.faults != b.faults) return std::nullopt;
  Energy energy;
  energy.value = Joules{b.joules - a.joules};
  energy.uncertainty = Joules{reading_error(from, to)};
  energy.quality = info_.quality;
  if (info_.quality == Quality::model) {
    const double off = std::max(info_.model_high - 1, 1 - info_.model_low);
    energy.uncertainty += Joules{std::abs(energy.value.value) * off};
  }
  return energy;
}

}  // namespace prengdl
