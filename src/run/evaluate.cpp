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
std::vector<std::int64_t> ends_of_long_spans(const Emitted& emitted, Seconds shortest) {
  std::vector<std::int64_t> times;
  for (const auto& span : emitted.spans) {
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
  if (!energy && curve.last_failure() == ReadStatus::stuck) run.flags.insert(Flag::stuck_meter);
  if (!energy)
    return has_none(curve.failures() > 0 ? name_of(curve.last_failure())
                                         : "its readings do not cover it");
  if (!curve.is_resolved(ends.begin, ends.end))
    return meter.counted == Counted::inside
               ? std::nullopt
               : has_none("the run is too short for it, or it does not change");
  if (still) {
    run.flags.insert(Flag::stuck_meter);
    return has_none(fmt::format("it did not change for {:.3g} s during the run",
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

Evaluation::UnsureEnd unsure_end_of(const Evaluation& evaluation) {
  return evaluation.unsure_end.value_or(
      Evaluation::UnsureEnd{evaluation.end_ns, evaluation.end_ns});
}

/// The samples of a run by meter: energy as curves over all times that matter, channels over the
/// run and over its long spans.
struct Curves {
  Curves(const Evaluation& evaluation, const Emitted& emitted)
      : times(times_of(evaluation, emitted)),
        span_times(ends_of_long_spans(emitted, 5 * evaluation.interval)),
        energy(evaluation.meters.size()),
        of_spans(evaluation.meters.size()),
        of_run(evaluation.meters.size()) {
    const auto& meters = evaluation.meters;
    for (std::size_t i = 0; i < meters.size(); ++i) {
      if (meters[i]->counted == Counted::channel) {
        of_run[i].emplace(*meters[i], evaluation.begin_ns, evaluation.end_ns);
        if (!span_times.empty()) of_spans[i].emplace(*meters[i], span_times);
      } else if (is_energy(*meters[i])) {
        energy[i].emplace(*meters[i], times);
      }
    }
    evaluation.samples.for_each([&](const Sample& sample) {
      if (energy[sample.meter]) energy[sample.meter]->add(sample.reading);
      if (of_run[sample.meter]) of_run[sample.meter]->add(sample.reading);
      if (of_spans[sample.meter]) of_spans[sample.meter]->add(sample.reading);
    });
    for (auto& channel : of_spans)
      if (channel) channel->finish();
    for (auto& curve : energy)
      if (curve) curve->finish();
  }

  static std::vector<std::int64_t> times_of(const Evaluation& evaluation, const Emitted& emitted) {
    const auto unsure_end = unsure_end_of(evaluation);
    std::vector<std::int64_t> times{evaluation.gate_ns, evaluation.begin_ns, evaluation.end_ns,
                                    unsure_end.alive_ns, unsure_end.read_ns};
    for (const auto& span : emitted.spans) {
      times.push_back(span.begin_ns);
      times.push_back(span.end_ns);
    }
    return sorted_once(std::move(times));
  }

  std::vector<std::int64_t> times;
  std::vector<std::int64_t> span_times;
  std::vector<std::optional<EnergyCurve>> energy;
  std::vector<std::optional<ChannelOfSpans>> of_spans;
  std::vector<std::optional<ChannelOfRun>> of_run;
};

using Standstills = std::vector<std::optional<Standstill::Interval>>;

/// The totals of the run. Gives where counters stood still, for its spans.
Standstills take_totals(const Evaluation& evaluation, const Curves& curves, Run& run) {
  const auto& meters = evaluation.meters;
  const auto unsure_end = unsure_end_of(evaluation);
  const auto place = [&](std::int64_t at) { return place_of(curves.times, at); };
  const Ends ends{place(evaluation.gate_ns), place(evaluation.begin_ns), place(evaluation.end_ns),
                  place(unsure_end.alive_ns), place(unsure_end.read_ns)};
  const Seconds window = seconds_between(evaluation.begin_ns, evaluation.end_ns);
  Standstills standstills(meters.size());
  std::vector<MeterEnergy> whole;
  std::vector<MeterEnergy> net;
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const auto& curve = curves.energy[i];
    if (!curve) continue;
    standstills[i] = stuck(*meters[i], *curve);
    const auto energy = energy_of_run(*meters[i], *curve, standstills[i], ends, run);
    whole.push_back({meters[i], energy});
    if (!evaluation.baseline) continue;
    const auto& idle = evaluation.baseline->meters.at(i);
    net.push_back({meters[i], energy && idle ? std::optional(less_idle(*energy, *idle, window))
                                             : std::nullopt});
  }
  run.energy = total(whole);
  if (evaluation.baseline) run.net = total(net);
  return standstills;
}

Totals energy_of_span(const Evaluation& evaluation, const Curves& curves,
                      const Standstills& standstills, const Span& span) {
  const std::size_t from = place_of(curves.times, span.begin_ns);
  const std::size_t to = place_of(curves.times, span.end_ns);
  const Seconds length = seconds_between(span.begin_ns, span.end_ns);
  std::vector<MeterEnergy> parts;
  for (std::size_t i = 0; i < evaluation.meters.size(); ++i) {
    const auto& curve = curves.energy[i];
    if (!curve) continue;
    const bool resolved = length >= shortest_window(*evaluation.meters[i], evaluation.interval) &&
                          curve->is_resolved(from, to) && !stands_in(standstills[i], span);
    parts.push_back({evaluation.meters[i], resolved ? curve->window(from, to) : std::nullopt});
  }
  return total(parts);
}

/// Means over CPUs or GPUs with the same channel; nothing of a span that is too short for them.
std::vector<ChannelMean> channels_of_span(const Evaluation& evaluation, const Curves& curves,
                                          const Span& span) {
  std::vector<ChannelMean> channels;
  if (seconds_between(span.begin_ns, span.end_ns) < 5 * evaluation.interval) return channels;
  const std::size_t first = place_of(curves.span_times, span.begin_ns);
  const std::size_t last = place_of(curves.span_times, span.end_ns);
  std::map<std::string, std::pair<double, int>> means;
  for (std::size_t i = 0; i < evaluation.meters.size(); ++i) {
    const auto mean = curves.of_spans[i] ? curves.of_spans[i]->mean(first, last) : std::nullopt;
    if (!mean) continue;
    means[evaluation.meters[i]->domain].first += *mean;
    ++means[evaluation.meters[i]->domain].second;
  }
  for (const auto& [name, sum] : means) channels.push_back({name, sum.first / sum.second});
  return channels;
}

}  // namespace

Seconds shortest_window(const MeterInfo& info, Seconds interval) {
  const Seconds spacing = std::max({interval, info.period, info.update});
  return std::max(5 * spacing, info.window + info.lag);
}

void evaluate(const Evaluation& evaluation, const Emitted& emitted, Run& run) {
  Curves curves(evaluation, emitted);
  std::vector<ChannelSummary> summaries;
  for (auto& channel : curves.of_run)
    if (const auto summary = channel ? channel->summary() : std::nullopt)
      summaries.push_back(*summary);
  run.channels = merged(summaries);
  const Standstills standstills = take_totals(evaluation, curves, run);
  run.spans.reserve(emitted.spans.size());
  for (const auto& span : emitted.spans)
    run.spans.push_back({span, energy_of_span(evaluation, curves, standstills, span),
                         channels_of_span(evaluation, curves, span)});
  run.metrics = emitted.metrics;
  run.work = emitted.work;
  run.facts = emitted.facts;
}

}  // namespace prengdl
