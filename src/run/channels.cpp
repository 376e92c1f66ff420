// SPDX-License-Identifier: Apache-2.0
#include "run/channels.h"

#include <algorithm>

#include "base/clock.h"

namespace prengdl {
namespace {

constexpr std::int64_t slack_ns = 5'000'000;  // the last reading comes right after the exit

}  // namespace

void ChannelOfRun::add(const Reading& reading) {
  if (reading.status != ReadStatus::ok) return;
  if (info_.kind == Kind::counter) {
    if (last_ && reading.at_ns > last_->at_ns && last_->at_ns >= begin_ns_ - slack_ns &&
        reading.at_ns <= end_ns_ + slack_ns && reading.raw >= last_->raw) {
      const double rise = static_cast<double>(reading.raw - last_->raw) * info_.step;
      const double seconds = seconds_between(last_->at_ns, reading.at_ns).count();
      weight_ += seconds;
      sum_ += rise;
      lowest_ = std::min(lowest_, rise / seconds);
      highest_ = std::max(highest_, rise / seconds);
    }
    last_ = reading;
    return;
  }
  if (reading.at_ns < begin_ns_ || reading.at_ns > end_ns_ + slack_ns) return;
  const double value = static_cast<double>(static_cast<std::int64_t>(reading.raw)) * info_.step;
  weight_ += 1;
  sum_ += value;
  lowest_ = std::min(lowest_, value);
  highest_ = std::max(highest_, value);
}

std::optional<ChannelSummary> ChannelOfRun::summary() const {
  if (weight_ <= 0) return std::nullopt;
  const Unit unit = info_.kind == Kind::counter ? Unit::share : info_.unit;
  return ChannelSummary{info_.domain, unit, sum_ / weight_, lowest_, highest_};
}

void ChannelOfSpans::add(const Reading& reading) {
  if (reading.status != ReadStatus::ok) return;
  answer_until(reading);
  if (info_.kind == Kind::counter) {
    if (last_ && reading.raw >= last_->raw)
      now_.sum += static_cast<double>(reading.raw - last_->raw) * info_.step;
  } else {
    now_.sum += static_cast<double>(static_cast<std::int64_t>(reading.raw)) * info_.step;
    now_.weight += 1;
  }
  last_ = reading;
}

void ChannelOfSpans::finish() {
  for (; next_ < times_.size(); ++next_) sums_[next_] = now_;
}

std::optional<double> ChannelOfSpans::mean(std::size_t from, std::size_t to) const {
  const double sum = sums_[to].sum - sums_[from].sum;
  const double weight = info_.kind == Kind::counter
                            ? seconds_between(times_[from], times_[to]).count()
                            : sums_[to].weight - sums_[from].weight;
  return weight > 0 ? std::optional(sum / weight) : std::nullopt;
}

void ChannelOfSpans::answer_until(const Reading& reading) {
  for (; next_ < times_.size() && times_[next_] <= reading.at_ns; ++next_) {
    sums_[next_] = now_;
    // Between two readings a counter is taken to have risen evenly.
    if (info_.kind != Kind::counter || !last_ || reading.raw < last_->raw ||
        reading.at_ns <= last_->at_ns)
      continue;
    const double part =
        seconds_between(last_->at_ns, times_[next_]) / seconds_between(last_->at_ns, reading.at_ns);
    sums_[next_].sum += static_cast<double>(reading.raw - last_->raw) * info_.step * part;
  }
}

std::vector<ChannelSummary> merged(const std::vector<ChannelSummary>& channels) {
  std::vector<ChannelSummary> all;
  std::vector<int> counts;
  for (const auto& one : channels) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const ChannelSummary& other) {
      return other.name == one.name;
    });
    if (same == all.end()) {
      all.push_back(one);
      counts.push_back(1);
      continue;
    }
    const int count = ++counts[static_cast<std::size_t>(same - all.begin())];
    same->mean += (one.mean - same->mean) / count;
    same->lowest = std::min(same->lowest, one.lowest);
    same->highest = std::max(same->highest, one.highest);
  }
  return all;
}

}  // namespace prengdl
