// SPDX-License-Identifier: Apache-2.0
#include "import/run_totals.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.h"

namespace prengdl {
namespace {

Counted counted_of(const std::string& domain) {
  if (domain == "package" || domain == "dram" || domain == "gpu") return Counted::yes;
  if (domain == "platform") return Counted::platform;
  if (domain == "machine") return Counted::alone;
  return Counted::inside;  // cores, uncore, igpu; and whatever nobody can tell the place of
}

/// The sum of a channel's readings in each window of a row of windows that follow each other.
struct ChannelSum {
  double sum = 0;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  std::size_t count = 0;

  void add(double value) {
    sum += value;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    ++count;
  }
  std::optional<double> mean() const {
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
  }
};

double value_of(const MeterInfo& meter, const Reading& reading) {
  return static_cast<double>(static_cast<std::int64_t>(reading.raw)) * meter.step;
}

/// What a meter's readings are called if they are used as a channel. The mean of power is
/// shown next to the energy: studies have multiplied it with time.
std::string channel_name(const MeterInfo& meter) {
  if (meter.counted == Counted::channel) return meter.domain;
  return meter.unit == Unit::watt && meter.kind == Kind::gauge ? meter.domain + "_power" : "";
}

/// The readings of one run, looked at by windows.
class RunFigures {
 public:
  RunFigures(const std::vector<MeterInfo>& meters, std::vector<std::int64_t> times)
      : meters_(meters), times_(std::move(times)) {
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    for (const auto& meter : meters_) {
      const bool has_energy = is_energy(meter) && meter.counted != Counted::channel;
      curves_.push_back(has_energy ? std::optional<EnergyCurve>(std::in_place, meter, times_)
                                   : std::nullopt);
      by_meter_.emplace_back();
    }
  }

  void add(const ImportedSample& sample) {
    if (curves_[sample.meter]) curves_[sample.meter]->add(sample.reading);
    by_meter_[sample.meter].push_back(&sample.reading);
  }

  void finish() {
    for (auto& curve : curves_)
      if (curve) curve->finish();
  }

  std::vector<std::optional<Energy>> energies(std::int64_t begin, std::int64_t end) const {
    std::vector<std::optional<Energy>> found(meters_.size());
    const std::size_t from = place_of(begin);
    const std::size_t to = place_of(end);
    for (std::size_t i = 0; i < meters_.size(); ++i) {
      // A single reading says what power was, not for how long.
      if (!curves_[i] || readings_in(i, begin, end).count < 2) continue;
      if (meters_[i].kind == Kind::counter && !curves_[i]->is_resolved(from, to)) continue;
      found[i] = curves_[i]->window(from, to);
    }
    return found;
  }

  /// Several GPUs with the same channel become one: mean of means, extremes of extremes.
  std::vector<ChannelSummary> channels(std::int64_t begin, std::int64_t end) const {
    struct Merged {
      ChannelSum of;
      double means = 0;
      int meters = 0;
      Unit unit{};
    };
    std::map<std::string, Merged> merged;
    for (std::size_t i = 0; i < meters_.size(); ++i) {
      const std::string name = channel_name(meters_[i]);
      if (name.empty()) continue;
      const ChannelSum sum = readings_in(i, begin, end);
      if (sum.count == 0) continue;
      Merged& one = merged[name];
      one.of.lowest = std::min(one.of.lowest, sum.lowest);
      one.of.highest = std::max(one.of.highest, sum.highest);
      one.means += *sum.mean();
      ++one.meters;
      one.unit = meters_[i].unit;
    }
    std::vector<ChannelSummary> summaries;
    summaries.reserve(merged.size());
    for (const auto& [name, one] : merged)
      summaries.push_back({name, one.unit, one.means / one.meters, one.of.lowest, one.of.highest});
    return summaries;
  }

  std::size_t failures(std::size_t meter) const {
    return curves_[meter] ? curves_[meter]->failures() : 0;
  }
  std::size_t readings(std::size_t meter) const { return by_meter_[meter].size(); }

 private:
  std::size_t place_of(std::int64_t at) const {
    return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), at) -
                                    times_.begin());
  }

  /// After the begin, up to and with the end; the first window of all has its begin in it.
  ChannelSum readings_in(std::size_t meter, std::int64_t begin, std::int64_t end) const {
    ChannelSum sum;
    const auto& all = by_meter_[meter];
    const auto before = [&](const Reading* reading, std::int64_t at) {
      return begin == times_.front() ? reading->at_ns < at : reading->at_ns <= at;
    };
    for (auto at = std::lower_bound(all.begin(), all.end(), begin, before);
         at != all.end() && (*at)->at_ns <= end; ++at)
      if ((*at)->status == ReadStatus::ok) sum.add(value_of(meters_[meter], **at));
    return sum;
  }

  const std::vector<MeterInfo>& meters_;
  std::vector<std::int64_t> times_;
  std::vector<std::optional<EnergyCurve>> curves_;
  std::vector<std::vector<const Reading*>> by_meter_;
};

}  // namespace

MeterInfo imported_meter(const std::string& id, const std::string& domain,
                         const std::string& source, Quality quality) {
  MeterInfo meter;
  meter.id = id;
  meter.name = id;
  meter.domain = domain;
  meter.source = source;
  meter.quality = quality;
  meter.counted = counted_of(domain);
  return meter;
}

void restate(Totals& totals, const std::vector<MeterInfo>& meters,
             const std::vector<std::optional<Energy>>& energies) {
  std::vector<MeterEnergy> parts;
  for (std::size_t i = 0; i < meters.size(); ++i)
    if (is_energy(meters[i])) parts.push_back({&meters[i], energies[i]});
  totals = total(parts);
}

void fill_figures(ImportedRun& imported, const StatedJoules& stated,
                  const std::vector<Span>& spans) {
  Run& run = imported.stored.run;
  const auto& meters = imported.stored.meters;
  const std::int64_t begin = run.begin_ns;
  const std::int64_t end = begin + nanoseconds(run.window);
  std::vector<std::int64_t> times{begin, end};
  for (const auto& span : spans) {
    times.push_back(span.begin_ns);
    times.push_back(span.end_ns);
  }
  RunFigures figures(meters, std::move(times));
  for (const auto& sample : imported.samples) figures.add(sample);
  figures.finish();

  auto energies = figures.energies(begin, end);
  for (const auto& [meter, joules] : stated) {
    const double quantum = meters[meter].quantum;
    const double uncertainty = energies[meter] ? energies[meter]->uncertainty.value : quantum / 2;
    energies[meter] =
        joules ? std::optional(Energy{Joules{*joules}, Joules{uncertainty}, meters[meter].quality})
               : std::nullopt;
  }
  restate(run.energy, meters, energies);
  run.channels = figures.channels(begin, end);
  run.samples = imported.samples.size();
  for (std::size_t i = 0; i < meters.size(); ++i)
    if (figures.failures(i) > 0)
      run.warnings.push_back(fmt::format("{}: {} of {} readings have no value", meters[i].id,
                                         figures.failures(i), figures.readings(i)));
  for (const auto& span : spans) {
    SpanEnergy& one = run.spans.emplace_back();
    one.span = span;
    restate(one.energy, meters, figures.energies(span.begin_ns, span.end_ns));
    for (const auto& channel : figures.channels(span.begin_ns, span.end_ns))
      one.channels.push_back({channel.name, channel.mean});
  }
}

}  // namespace prengdl
