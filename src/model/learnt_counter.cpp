// SPDX-License-Identifier: Apache-2.0
#include "model/learnt_counter.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace prengdl {
namespace {

constexpr std::size_t kept_changes = 4;  // power at an end is taken over so many
constexpr double overdue = 1.5;          // a change that is so late says that power has fallen
constexpr double noise_factor = 2;       // 95 % of normal errors lie within

double power_over(const auto& changes) {
  if (changes.size() < 2) return 0;
  const double seconds = seconds_between(changes.front().at_ns, changes.back().at_ns).count();
  return seconds > 0 ? (changes.back().joules - changes.front().joules) / seconds : 0;
}

}  // namespace

void LearntCounter::add(std::int64_t at_ns, double joules, double slack_s) {
  if (!last_) {
    for (; next_ < times_.size() && times_[next_] < at_ns; ++next_)
      answers_[next_].faults = faults_;
    opening_begin_ = opening_end_ = next_;
    first_ = last_ = Change{at_ns, joules, slack_s};
    return;
  }
  if (at_ns <= last_->at_ns) return;  // the same line again
  longest_gap_s_ = std::max(longest_gap_s_, seconds_between(last_->at_ns, at_ns).count());
  if (joules == last_->joules) {
    last_->at_ns = at_ns;
    is_repeated_ = has_repeats_ = true;
    return;
  }
  Change change{at_ns, joules, slack_s};
  if (is_repeated_) {  // readings are closer than changes: it happened between two of them
    const std::int64_t half = (at_ns - last_->at_ns) / 2;
    change.at_ns -= half;
    change.slack_s = std::max(slack_s, static_cast<double>(half) * 1e-9);
  }
  take(change);
  last_ = Change{at_ns, joules, slack_s};
  is_repeated_ = false;
}

void LearntCounter::take(const Change& change) {
  if (recent_.empty()) {
    while (next_ < times_.size() && times_[next_] <= change.at_ns) ++next_;
    opening_end_ = next_;
  }
  for (; next_ < times_.size() && times_[next_] <= change.at_ns; ++next_) {
    answers_[next_] = between(recent_.back(), change, times_[next_]);
    answers_[next_].faults = faults_;
  }
  recent_.push_back(change);
  if (recent_.size() > kept_changes) recent_.erase(recent_.begin());
  note_residual();
  if (!is_open_) return;
  opening_.push_back(change);
  if (opening_.size() == kept_changes) answer_opening();
}

/// How far the middle one of three changes lies off the line through the others: that is what the
/// counter's own step, and a value that was old when it was read, make of even power.
void LearntCounter::note_residual() {
  if (recent_.size() < 3) return;
  const Change* last = &recent_.back();
  const Answer line = between(last[-2], last[0], last[-1].at_ns);
  squares_ += (last[-1].joules - line.joules) * (last[-1].joules - line.joules);
  ++residuals_;
}

/// The times before the first change that was seen.
void LearntCounter::answer_opening() {
  is_open_ = false;
  if (!first_) return;
  const double watts = power_over(opening_);
  for (std::size_t i = opening_begin_; i < opening_end_; ++i) {
    if (!has_repeats_)  // each reading shows a new value, so the first one does, too
      answers_[i] = between(*first_, opening_.front(), times_[i]);
    else
      answers_[i] =
          beyond(opening_.front(), seconds_between(times_[i], opening_.front().at_ns).count(),
                 watts, opening_.front().joules - first_->joules, -1);
    answers_[i].faults = faults_;
  }
}

/// The times after the last change that was seen, up to so long after the last reading.
void LearntCounter::answer_closing(double reach_s) {
  if (!last_) return;
  std::vector<Change> changes = recent_;
  if (!has_repeats_ && recent_.size() < kept_changes) changes.insert(changes.begin(), *first_);
  double most = 0;
  for (std::size_t i = 1; i < changes.size(); ++i)
    most = std::max(most, changes[i].joules - changes[i - 1].joules);
  if (changes.size() == 1) most = changes.front().joules - first_->joules;
  const std::int64_t until = last_->at_ns + nanoseconds(Seconds{reach_s});
  for (; next_ < times_.size() && times_[next_] <= until; ++next_) {
    if (changes.empty())  // it stood still
      answers_[next_] = {true, last_->joules, 0, 0};
    else
      answers_[next_] =
          beyond(changes.back(), seconds_between(changes.back().at_ns, times_[next_]).count(),
                 power_over(changes), most, 1);
    answers_[next_].faults = faults_;
  }
}

void LearntCounter::restart() {
  if (is_open_ && !opening_.empty()) answer_opening();
  answer_closing(0);
  ++faults_;
  first_ = last_ = std::nullopt;
  is_repeated_ = has_repeats_ = false;
  is_open_ = true;
  opening_.clear();
  recent_.clear();
  longest_gap_s_ = 0;
}

void LearntCounter::finish() {
  if (is_open_ && !opening_.empty()) answer_opening();
  answer_closing(overdue * longest_gap_s_);
}

/// Power may have been anything between two changes: if it began or ended right here, the energy
/// up to the nearer of them is off by all of itself.
LearntCounter::Answer LearntCounter::between(const Change& a, const Change& b, std::int64_t at_ns) {
  const double span = seconds_between(a.at_ns, b.at_ns).count();
  if (span <= 0) return {true, b.joules, 0, 0};
  const double from_a = seconds_between(a.at_ns, at_ns).count();
  const double to_b = span - from_a;
  const double watts = (b.joules - a.joules) / span;
  const double slack_s = from_a < to_b ? a.slack_s : b.slack_s;
  return {true, a.joules + watts * from_a,
          std::hypot(watts * std::min(from_a, to_b), watts * slack_s), 0};
}

/// Some seconds before the first change (`sign` -1) or after the last one (1): power is held, but
/// no more than `most` can be hidden in a change that was not seen.
LearntCounter::Answer LearntCounter::beyond(const Change& edge, double seconds, double watts,
                                            double most, int sign) {
  const double held = watts * seconds;
  const bool is_known = watts > 0 && held <= overdue * most;
  const double hidden = is_known ? std::min(held, most) : most / 2;
  const double unsure =
      std::hypot(std::min(is_known ? held : most, most / 2), watts * edge.slack_s);
  return {true, edge.joules + sign * hidden, unsure, 0};
}

double LearntCounter::uncertainty(std::size_t from, std::size_t to) const {
  const double noise =
      residuals_ > 0 ? squares_ / static_cast<double>(residuals_) / 1.5 : 0;  // variance of one
  const double a = at(from).uncertainty;
  const double b = at(to).uncertainty;
  return std::sqrt(a * a + b * b + 2 * noise_factor * noise_factor * noise);
}

}  // namespace prengdl
