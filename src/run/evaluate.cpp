// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/clock.h"

namespace prengdl {
namespace {

/// A channel's values over a window. Gauges: mean of the readings in it. Counters of seconds: their
/// rise over time, so that CPU seconds become busy CPUs.
class ChannelOfRun {
 public:
  ChannelOfRun(const MeterInfo& info, std::int64_t begin_ns, std::int64_t end_ns)
      : info_(info), begin_ns_(begin_ns), end_ns_(end_ns) {}

  void add(const Reading& reading) {
    if (reading.status != ReadStatus::ok) return;
    if (info_.kind == Kind::counter) {
      if (last_ && reading.at_ns > last_->at_ns && last_->at_ns >= begin_ns_ - slack_ns &&
          reading.at_ns <= end_ns_ + slack_ns && reading.raw >= last_->raw) {
        const double rise = static_cast<double>(reading.raw - last_->raw) * info_.step;
        const double seconds = seconds_between(last_->at_ns, reading.at_ns).count();
        weight_ += seconds;
        sum_ += rise;
        // Steps of 10 ms over 100 ms: extremes of single intervals would only show rounding.
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

  std::optional<ChannelSummary> summary() const {
    if (weight_ <= 0) return std::nullopt;
    const Unit unit = info_.kind == Kind::counter ? Unit::share : info_.unit;
    return ChannelSummary{info_.domain, unit, sum_ / weight_, lowest_, highest_};
  }

 private:
  static constexpr std::int64_t slack_ns =
      5'000'000;  // the last reading comes right after the exit
  const MeterInfo& info_;
  std::int64_t begin_ns_;
  std::int64_t end_ns_;
  std::optional<Reading> last_;
  double weight_ = 0;
  double sum_ = 0;
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
};

/// A channel's means over many windows in one pass: what it summed up to by each of their ends.
class ChannelOfSpans {
 public:
  ChannelOfSpans(const MeterInfo& info, const std::vector<std::int64_t>& times)
      : info_(info), times_(times), sums_(times.size()) {}

  void add(const Reading& reading) {
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

  void finish() {
    for (; next_ < times_.size(); ++next_) sums_[next_] = now_;
  }

  std::optional<double> mean(std::size_t from, std::size_t to) const {
    const double sum = sums_[to].sum - sums_[from].sum;
    const double weight = info_.kind == Kind::counter
                              ? seconds_between(times_[from], times_[to]).count()
                              : sums_[to].weight - sums_[from].weight;
    return weight > 0 ? std::optional(sum / weight) : std::nullopt;
  }

 private:
  struct Sum {
    double sum = 0;
    double weight = 0;
  };

  void answer_until(const Reading& reading) {
    for (; next_ < times_.size() && times_[next_] <= reading.at_ns; ++next_) {
      sums_[next_] = now_;
      // Between two readings a counter is taken to have risen evenly.
      if (info_.kind != Kind::counter || !last_ || reading.raw < last_->raw ||
          reading.at_ns <= last_->at_ns)
        continue;
      const double part = seconds_between(last_->at_ns, times_[next_]) /
                          seconds_between(last_->at_ns, reading.at_ns);
      sums_[next_].sum += static_cast<double>(reading.raw - last_->raw) * info_.step * part;
    }
  }

  const MeterInfo& info_;
  const std::vector<std::int64_t>& times_;
  std::vector<Sum> sums_;
  Sum now_;
  std::size_t next_ = 0;
  std::optional<Reading> last_;
};

/// Several CPUs or GPUs with the same channel become one: mean of means, extremes of extremes.
void merge(std::vector<ChannelSummary>& all, const ChannelSummary& one, std::vector<int>& counts) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name != one.name) continue;
    ++counts[i];
    all[i].mean += (one.mean - all[i].mean) / counts[i];
    all[i].lowest = std::min(all[i].lowest, one.lowest);
    all[i].highest = std::max(all[i].highest, one.highest);
    return;
  }
  all.push_back(one);
  counts.push_back(1);
}

Energy less_idle(const Energy& energy, const Baseline::MeterPower& idle, Seconds window) {
  return {energy.value - idle.mean * window, energy.uncertainty + idle.uncertainty * window,
          energy.quality};
}

std::vector<std::int64_t> sorted_once(std::vector<std::int64_t> times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// The ends of the spans that are long enough to tell of channels: a workload may name a million
/// that are not.
std::vector<std::int64_t> ends_of_long_spans(const Told& told, Seconds shortest) {
  std::vector<std::int64_t> times;
  for (const auto& span : told.spans) {
    if (seconds_between(span.begin_ns, span.end_ns) < shortest) continue;
    times.push_back(span.begin_ns);
    times.push_back(span.end_ns);
  }
  return sorted_once(std::move(times));
}

std::size_t place_of(const std::vector<std::int64_t>& times, std::int64_t at) {
  return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), at) - times.begin());
}

}  // namespace

Seconds shortest_window(const MeterInfo& info, Seconds interval) {
  const Seconds spacing = std::max({interval, info.period, info.update});
  return std::max(5 * spacing, info.window + info.lag);
}

void evaluate(const Evaluation& evaluation, const Told& told, Run& run) {
  const auto& meters = evaluation.meters;
  std::vector<std::int64_t> times{evaluation.begin_ns, evaluation.end_ns};
  for (const auto& span : told.spans) {
    times.push_back(span.begin_ns);
    times.push_back(span.end_ns);
  }
  times = sorted_once(std::move(times));
  const Seconds shortest_span = 5 * evaluation.interval;
  const auto span_times = ends_of_long_spans(told, shortest_span);

  std::vector<std::optional<EnergyCurve>> curves(meters.size());
  std::vector<std::optional<ChannelOfSpans>> span_channels(meters.size());
  std::vector<std::optional<ChannelOfRun>> channels(meters.size());
  for (std::size_t i = 0; i < meters.size(); ++i) {
    if (meters[i]->counted == Counted::channel) {
      channels[i].emplace(*meters[i], evaluation.begin_ns, evaluation.end_ns);
      if (!span_times.empty()) span_channels[i].emplace(*meters[i], span_times);
    } else if (is_energy(*meters[i]))
      curves[i].emplace(*meters[i], times);
  }
  evaluation.samples.for_each([&](const Sample& sample) {
    if (curves[sample.meter]) curves[sample.meter]->add(sample.reading);
    if (channels[sample.meter]) channels[sample.meter]->add(sample.reading);
    if (span_channels[sample.meter]) span_channels[sample.meter]->add(sample.reading);
  });
  for (auto& channel : span_channels)
    if (channel) channel->finish();

  std::vector<int> counts;
  for (auto& channel : channels)
    if (const auto summary = channel ? channel->summary() : std::nullopt)
      merge(run.channels, *summary, counts);

  const std::size_t begin = place_of(times, evaluation.begin_ns);
  const std::size_t end = place_of(times, evaluation.end_ns);
  const Seconds window = seconds_between(evaluation.begin_ns, evaluation.end_ns);
  std::vector<MeterEnergy> whole;
  std::vector<MeterEnergy> net;
  for (std::size_t i = 0; i < meters.size(); ++i) {
    if (!curves[i]) continue;
    curves[i]->finish();
    auto energy = curves[i]->window(begin, end);
    const bool unresolved = energy && !curves[i]->is_resolved(begin, end);
    if (unresolved) energy.reset();
    whole.push_back({meters[i], energy});
    // An unused part of the package may well stand still; what counts may not, unremarked.
    if (unresolved && meters[i]->counted == Counted::inside) continue;
    if (unresolved)
      run.warnings.push_back(fmt::format(
          "{} has no figure for this run: too short for it, or it stands still", meters[i]->id));
    else if (!energy)
      run.warnings.push_back(fmt::format("{} has no figure for this run: {}", meters[i]->id,
                                         curves[i]->failures() > 0
                                             ? name_of(curves[i]->last_failure())
                                             : std::string_view("its readings do not cover it")));
    else if (curves[i]->failures() > 0)
      run.warnings.push_back(fmt::format("{}: {} of {} readings failed ({})", meters[i]->id,
                                         curves[i]->failures(), curves[i]->readings(),
                                         name_of(curves[i]->last_failure())));
    if (!evaluation.baseline) continue;
    const auto& idle = evaluation.baseline->meters.at(i);
    net.push_back({meters[i], energy && idle ? std::optional(less_idle(*energy, *idle, window))
                                             : std::nullopt});
  }
  run.energy = total(whole);
  if (evaluation.baseline) run.net = total(net);

  run.spans.reserve(told.spans.size());
  for (const auto& span : told.spans) {
    const std::size_t from = place_of(times, span.begin_ns);
    const std::size_t to = place_of(times, span.end_ns);
    const Seconds length = seconds_between(span.begin_ns, span.end_ns);
    std::vector<MeterEnergy> parts;
    for (std::size_t i = 0; i < meters.size(); ++i) {
      if (!curves[i]) continue;
      const bool resolved = length >= shortest_window(*meters[i], evaluation.interval) &&
                            curves[i]->is_resolved(from, to);
      parts.push_back({meters[i], resolved ? curves[i]->window(from, to) : std::nullopt});
    }
    run.spans.push_back({span, total(parts), {}});
    if (length < shortest_span) continue;
    const std::size_t first = place_of(span_times, span.begin_ns);
    const std::size_t last = place_of(span_times, span.end_ns);
    std::map<std::string, std::pair<double, int>> means;  // over CPUs or GPUs with the same channel
    for (std::size_t i = 0; i < meters.size(); ++i) {
      const auto mean = span_channels[i] ? span_channels[i]->mean(first, last) : std::nullopt;
      if (!mean) continue;
      means[meters[i]->domain].first += *mean;
      ++means[meters[i]->domain].second;
    }
    for (const auto& [name, sum] : means)
      run.spans.back().channels.push_back({name, sum.first / sum.second});
  }
  run.metrics = told.metrics;
  run.work = told.work;
}

}  // namespace prengdl
