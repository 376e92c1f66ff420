// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

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

}  // namespace

Seconds shortest_window(const MeterInfo& info, Seconds interval) {
  const Seconds spacing = std::max({interval, info.period, info.update});
  return std::max(5 * spacing, info.window + info.lag);
}

void evaluate(const Evaluation& evaluation, const Told& told, Run& run) {
  const auto& meters = evaluation.meters;
  std::vector<std::int64_t> times{evaluation.gate_ns, evaluation.begin_ns, evaluation.end_ns};
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

  const std::size_t gate = place_of(times, evaluation.gate_ns);
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
    // Where the workload shares a CPU with us its exec is seen late: what was drawn since the gate
    // was opened may be its own.
    const auto before = curves[i]->window(gate, begin);
    if (energy && before) energy->uncertainty += Joules{std::abs(before->value.value)};
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
  run.facts = told.facts;
}

}  // namespace prengdl
