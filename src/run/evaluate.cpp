// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "base/clock.h"
#include "run/channels.h"

namespace prengdl {
namespace {

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

/// Where the times of a run stand among all.
struct Ends {
  std::size_t gate{};
  std::size_t begin{};
  std::size_t end{};
  std::size_t alive{};
  std::size_t read{};
};

/// What is unsure of a run's energy because its beginning or its end was seen late.
Joules drawn_meanwhile(const EnergyCurve& curve, const Ends& ends) {
  const auto drawn = [&](std::size_t from, std::size_t to) {
    const auto energy = from < to ? curve.window(from, to) : std::nullopt;
    return energy ? std::abs(energy->value.value) : 0.0;
  };
  // Where the workload shares a CPU with us its exec is seen late: what was drawn since the gate
  // was opened may be its own. Nothing was read over an exit that was seen late: all that was drawn
  // meanwhile may have been before it, or after.
  return Joules{drawn(ends.gate, ends.begin) +
                std::max(drawn(ends.alive, ends.end), drawn(ends.end, ends.read))};
}

/// A part inside another domain may well stand still, as cores that sleep do; what counts may not.
std::optional<Standstill::Interval> stuck(const MeterInfo& meter, const EnergyCurve& curve) {
  return meter.counted == Counted::inside ? std::nullopt : curve.stuck();
}

/// Nothing where there is no sound figure; then the run says why.
std::optional<Energy> energy_of_run(const MeterInfo& meter, const EnergyCurve& curve,
                                    const std::optional<Standstill::Interval>& still,
                                    const Ends& ends, Run& run) {
  const auto has_none = [&](std::string_view why) {
    run.warnings.push_back(fmt::format("{} has no figure for this run: {}", meter.id, why));
    return std::optional<Energy>();
  };
  auto energy = curve.window(ends.begin, ends.end);
  if (!energy)
    return has_none(curve.failures() > 0 ? name_of(curve.last_failure())
                                         : "its readings do not cover it");
  if (!curve.is_resolved(ends.begin, ends.end))
    return meter.counted == Counted::inside ? std::nullopt
                                            : has_none("too short for it, or it stands still");
  if (still) {
    if (std::find(run.flags.begin(), run.flags.end(), "stuck-meter") == run.flags.end())
      run.flags.emplace_back("stuck-meter");
    return has_none(fmt::format("it stood still for {:.3g} s while the run went on",
                                seconds_between(still->from_ns, still->to_ns).count()));
  }
  energy->uncertainty += drawn_meanwhile(curve, ends);
  if (curve.failures() > 0)
    run.warnings.push_back(fmt::format("{}: {} of {} readings failed ({})", meter.id,
                                       curve.failures(), curve.readings(),
                                       name_of(curve.last_failure())));
  return energy;
}

/// A span that a stuck counter stood still in has no figure of it; one before or after has.
bool stands_in(const std::optional<Standstill::Interval>& still, const Span& span) {
  return still && still->from_ns < span.end_ns && span.begin_ns < still->to_ns;
}

}  // namespace

Seconds shortest_window(const MeterInfo& info, Seconds interval) {
  const Seconds spacing = std::max({interval, info.period, info.update});
  return std::max(5 * spacing, info.window + info.lag);
}

void evaluate(const Evaluation& evaluation, const Told& told, Run& run) {
  const auto& meters = evaluation.meters;
  const auto unsure_end =
      evaluation.unsure_end.value_or(Evaluation::UnsureEnd{evaluation.end_ns, evaluation.end_ns});
  std::vector<std::int64_t> times{evaluation.gate_ns, evaluation.begin_ns, evaluation.end_ns,
                                  unsure_end.alive_ns, unsure_end.read_ns};
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

  std::vector<ChannelSummary> summaries;
  for (auto& channel : channels)
    if (const auto summary = channel ? channel->summary() : std::nullopt)
      summaries.push_back(*summary);
  run.channels = merged(summaries);

  const Ends ends{place_of(times, evaluation.gate_ns), place_of(times, evaluation.begin_ns),
                  place_of(times, evaluation.end_ns), place_of(times, unsure_end.alive_ns),
                  place_of(times, unsure_end.read_ns)};
  const Seconds window = seconds_between(evaluation.begin_ns, evaluation.end_ns);
  std::vector<std::optional<Standstill::Interval>> standstills(meters.size());
  std::vector<MeterEnergy> whole;
  std::vector<MeterEnergy> net;
  for (std::size_t i = 0; i < meters.size(); ++i) {
    if (!curves[i]) continue;
    curves[i]->finish();
    standstills[i] = stuck(*meters[i], *curves[i]);
    const auto energy = energy_of_run(*meters[i], *curves[i], standstills[i], ends, run);
    whole.push_back({meters[i], energy});
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
                            curves[i]->is_resolved(from, to) && !stands_in(standstills[i], span);
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
  run.facts = told.facts;
}

}  // namespace prengdl
