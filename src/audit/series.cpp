// SPDX-License-Identifier: Apache-2.0
#include "audit/series.h"

#include <algorithm>

#include "base/clock.h"
#include "model/energy.h"
#include "model/totals.h"

namespace prengdl {
namespace {

/// The start of a run is what a gauge shows first; a card that averages shows it late but then
/// still from before the start, which is what is asked for.
class SeriesReader {
 public:
  SeriesReader(const MeterInfo& info, const AuditInput& input, std::int64_t begin_ns,
               std::int64_t end_ns)
      : info_(info), begin_ns_(begin_ns), end_ns_(end_ns) {
    if (is_gpu_memory(info) && input.gpu_memory_bytes)
      limit_ = static_cast<double>(*input.gpu_memory_bytes);
    if (is_gpu_power(info) && input.gpu_power_limit) limit_ = input.gpu_power_limit->value;
    if (is_energy(info) && info.counted != Counted::channel)
      curve_.emplace(info, std::vector<std::int64_t>{begin_ns, end_ns});
  }

  void add(const Reading& reading) {
    if (curve_) curve_->add(reading);
    if (reading.status != ReadStatus::ok) {
      ++found_.failures;
      return;
    }
    if (info_.kind == Kind::gauge) add_value(reading);
    if (reading.mark == Mark::edge) return;  // between ticks by its nature
    if (reading.at_ns < begin_ns_ - slack_ns || reading.at_ns > end_ns_ + slack_ns) return;
    if (last_ns_ && reading.at_ns <= *last_ns_) return;
    if (last_ns_) intervals_.push_back(reading.at_ns - *last_ns_);
    last_ns_ = reading.at_ns;
    ++found_.readings;
  }

  MeterSeries series() {
    if (intervals_.empty()) return found_;
    const auto middle = intervals_.begin() + static_cast<std::ptrdiff_t>(intervals_.size() / 2);
    std::nth_element(intervals_.begin(), middle, intervals_.end());
    const std::int64_t median = *middle;
    found_.median = seconds_between(0, median);
    const auto [least, most] = std::minmax_element(intervals_.begin(), intervals_.end());
    found_.shortest = seconds_between(0, *least);
    found_.longest = seconds_between(0, *most);
    for (const auto interval : intervals_) {
      found_.covered += seconds_between(0, interval);
      if (interval <= 2 * median) continue;
      ++found_.gaps;
      found_.in_gaps += seconds_between(0, interval);
    }
    return found_;
  }

  std::optional<Energy> energy() {
    if (!curve_) return std::nullopt;
    curve_->finish();
    return curve_->window(0, 1);
  }
  bool has_energy() const { return curve_.has_value(); }

 private:
  void add_value(const Reading& reading) {
    const double value = static_cast<double>(static_cast<std::int64_t>(reading.raw)) * info_.step;
    if (!found_.first) found_.first = value;
    if (reading.at_ns < begin_ns_ - slack_ns || reading.at_ns > end_ns_ + slack_ns) return;
    found_.highest = std::max(found_.highest.value_or(value), value);
    if (limit_ && value > *limit_) ++found_.above_limit;
  }

  static constexpr std::int64_t slack_ns = 5'000'000;
  const MeterInfo& info_;
  std::int64_t begin_ns_;
  std::int64_t end_ns_;
  std::optional<double> limit_;
  std::optional<EnergyCurve> curve_;
  std::optional<std::int64_t> last_ns_;
  std::vector<std::int64_t> intervals_;
  MeterSeries found_;
};

}  // namespace

RunSeries read_series(const AuditInput& input, const StoredRun& run) {
  RunSeries series;
  if (!input.samples) return series;
  const std::int64_t begin = run.run.begin_ns;
  const std::int64_t end = begin + nanoseconds(run.run.window);
  std::vector<SeriesReader> readers;
  readers.reserve(run.meters.size());
  for (const auto& info : run.meters) readers.emplace_back(info, input, begin, end);
  bool any = false;
  input.samples(run, [&](std::uint16_t meter, const Reading& reading) {
    if (meter >= readers.size()) return;
    any = true;
    readers[meter].add(reading);
  });
  if (!any) return series;
  std::vector<MeterEnergy> energies;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    if (readers[i].has_energy()) energies.push_back({&run.meters[i], readers[i].energy()});
    series.meters.push_back(readers[i].series());
  }
  for (const auto& [domain, energy] : total(energies).domains) series.energy[domain] = energy.value;
  return series;
}

bool is_gpu_memory(const MeterInfo& info) {
  return info.unit == Unit::byte && info.domain.starts_with("gpu_memory");
}

bool is_gpu_power(const MeterInfo& info) {
  return info.unit == Unit::watt && info.kind == Kind::gauge &&
         (info.domain == "gpu" || info.domain == "gpu_power");
}

bool is_temperature(const MeterInfo& info) { return info.unit == Unit::celsius; }

}  // namespace prengdl
