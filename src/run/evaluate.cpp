// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.h"

namespace prengdl {
namespace {

/// A channel's values over a window. Gauges: mean of the readings in it. Counters of seconds: their
/// rise over time, so that CPU seconds become busy CPUs.
class ChannelMean {
 public:
  ChannelMean(const MeterInfo& info, std::int64_t begin_ns, std::int64_t end_ns)
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
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());

  std::vector<std::optional<EnergyCurve>> curves(meters.size());
  std::vector<std::optional<ChannelMean>> channels(meters.size());
  for (std::size_t i = 0; i < meters.size(); ++i) {
    if (meters[i]->counted == Counted::channel)
      channels[i].emplace(*meters[i], evaluation.begin_ns, evaluation.end_ns);
    else if (is_energy(*meters[i]))
      curves[i].emplace(*meters[i], times);
  }
  evaluation.samples.for_each([&](const Sample& sample) {
    if (curves[sample.meter]) curves[sample.meter]->add(sample.reading);
    if (channels[sample.meter]) channels[sample.meter]->add(sample.reading);
  });

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
    run.spans.push_back({span, total(parts)});
  }
  run.metrics = told.metrics;
  run.work = told.work;
}

}  // namespace prengdl
