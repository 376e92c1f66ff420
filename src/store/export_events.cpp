// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <map>

#include "store/export_parts.h"

namespace prengdl::export_parts {
namespace {

/// Divided, not multiplied by 1e-9: so 0.6 s are written as 0.6.
double seconds_from(std::int64_t begin_ns, std::int64_t at_ns) {
  const auto between = static_cast<std::uint64_t>(at_ns) - static_cast<std::uint64_t>(begin_ns);
  return static_cast<double>(static_cast<std::int64_t>(between)) / 1e9;
}

/// The metrics of a run by name, each in the order of time.
using MetricsByName = std::map<std::string, std::vector<Metric>>;

MetricsByName by_name(const std::vector<Metric>& metrics) {
  MetricsByName sorted;
  for (const auto& metric : metrics) sorted[metric.name].push_back(metric);
  for (auto& [name, values] : sorted) std::ranges::stable_sort(values, {}, &Metric::at_ns);
  return sorted;
}

/// The last value of a metric that was emitted while the span was open.
std::optional<double> emitted_within(const MetricsByName& metrics, const Span& span,
                                     const std::string& name) {
  const auto found = metrics.find(name);
  if (found == metrics.end()) return std::nullopt;
  const auto after = std::ranges::upper_bound(found->second, span.end_ns, {}, &Metric::at_ns);
  if (after == found->second.begin() || std::prev(after)->at_ns < span.begin_ns)
    return std::nullopt;
  return std::prev(after)->value;
}

/// The names that the spans of a result use, which become columns.
struct SpanNames {
  std::set<std::string> domains, channels, metrics;
};

void add_span(TableWriter& writer, const SpanNames& names, const StoredRun& run,
              const MetricsByName& metrics, const SpanEnergy& one) {
  const auto& [span, energy, channels] = one;
  const double seconds = seconds_from(span.begin_ns, span.end_ns);
  writer.add(run.id);
  add_cell(writer, run);
  writer.add(span.span);
  writer.add(span.name);
  writer.add(seconds_from(run.run.begin_ns, span.begin_ns));
  writer.add(seconds);
  std::vector<std::optional<double>> joules;
  joules.reserve(names.domains.size() + 1);
  for (const auto& domain : names.domains) joules.push_back(joules_of(energy, domain));
  joules.push_back(metered_of(energy));
  for (const auto& value : joules) writer.add(value);
  for (const auto& value : joules)
    writer.add(value && seconds > 0 ? std::optional(*value / seconds) : std::nullopt);
  for (const auto& name : names.channels) {
    const auto channel = std::ranges::find(channels, name, &ChannelMean::name);
    writer.add(channel == channels.end() ? std::nullopt : std::optional(channel->mean));
  }
  for (const auto& metric : names.metrics) writer.add(emitted_within(metrics, span, metric));
}

}  // namespace

void export_spans(const ResultStore& result, ExportFormat format, const ExportOptions& options,
                  std::ostream& out) {
  SpanNames names;
  each_chosen(result, Detail::emitted, options, [&](StoredRun&& run) {
    if (run.run.spans.empty()) return;
    for (const auto& span : run.run.spans) {
      for (const auto& [domain, energy] : span.energy.domains) names.domains.insert(domain);
      for (const auto& channel : span.channels) names.channels.insert(channel.name);
    }
    for (const auto& metric : run.run.metrics) names.metrics.insert(metric.name);
  });
  Columns columns({"run", "span", "name", "start_seconds", "seconds"});
  columns.add("run");
  add_factors(columns, factor_names(result.database()));
  for (const auto* name : {"span", "name", "start_seconds", "seconds"}) columns.add(name);
  columns.add_all("joules_", names.domains);
  columns.add("joules_metered");
  columns.add_all("watts_", names.domains);
  columns.add("watts_metered");
  for (const auto& name : names.channels) columns.add_foreign(name, "channel_");
  for (const auto& name : names.metrics) columns.add_foreign(name, "metric_");
  TableWriter writer(out, format, "spans", std::move(columns).names());
  each_chosen(result, Detail::emitted, options, [&](StoredRun&& run) {
    const auto metrics = by_name(run.run.metrics);
    for (const auto& span : run.run.spans) add_span(writer, names, run, metrics, span);
  });
  writer.finish();
}

void export_metrics(const ResultStore& result, ExportFormat format, const ExportOptions& options,
                    std::ostream& out) {
  Columns columns({"run", "name", "step", "seconds", "value"});
  columns.add("run");
  add_factors(columns, factor_names(result.database()));
  for (const auto* name : {"name", "step", "seconds", "value"}) columns.add(name);
  TableWriter writer(out, format, "metrics", std::move(columns).names());
  each_chosen(result, Detail::emitted, options, [&](StoredRun&& run) {
    for (const auto& metric : run.run.metrics) {
      writer.add(run.id);
      add_cell(writer, run);
      writer.add(metric.name);
      writer.add(metric.step);
      writer.add(seconds_from(run.run.begin_ns, metric.at_ns));
      writer.add(metric.value);
    }
  });
  writer.finish();
}

void export_looks(const ResultStore& result, ExportFormat format, std::ostream& out) {
  TableWriter writer(out, format, "looks", {"at", "by", "runs", "blocks", "planned_blocks"});
  for (const auto& look : result.looks()) {
    writer.add(look.at);
    writer.add(look.by);
    for (const std::size_t count : {look.runs, look.blocks, look.planned_blocks})
      writer.add(std::uint64_t{count});
  }
  writer.finish();
}

void export_site_energy(const ResultStore& result, ExportFormat format, std::ostream& out) {
  TableWriter writer(out, format, "site_energy", {"run", "source", "joules"});
  for (const auto& one : result.site_energy()) {
    writer.add(one.run);
    writer.add(one.source);
    writer.add(one.energy.value);
  }
  writer.finish();
}

void export_samples(const ResultStore& result, ExportFormat format, const ExportOptions& options,
                    std::ostream& out) {
  TableWriter writer(out, format, "samples",
                     {"run", "meter", "domain", "seconds", "value", "unit", "status"});
  each_chosen(result, Detail::all, options, [&](StoredRun&& run) {
    result.samples(run.id, [&](std::uint16_t index, const Reading& reading) {
      if (index >= run.meters.size()) return;
      const MeterInfo& meter = run.meters[index];
      // The raw value of a gauge is signed: a battery can be charged.
      const double raw = meter.kind == Kind::gauge
                             ? static_cast<double>(static_cast<std::int64_t>(reading.raw))
                             : static_cast<double>(reading.raw);
      writer.add(run.id);
      writer.add(meter.id);
      writer.add(meter.domain);
      writer.add(seconds_from(run.run.begin_ns, reading.at_ns));
      writer.add(reading.status == ReadStatus::ok ? std::optional(raw * meter.step) : std::nullopt);
      writer.add(name_of(meter.unit));
      writer.add(name_of(reading.status));
    });
  });
  writer.finish();
}

}  // namespace prengdl::export_parts
