// SPDX-License-Identifier: Apache-2.0
#include "run/baseline.h"

#include <algorithm>
#include <cmath>

#include "machine/machine.h"

namespace prengdl {
namespace {

constexpr Seconds reading_interval{0.1};
constexpr Seconds settle_step{2};  // long enough for gauges that average over a second

// Sensors show whole degrees, and rooms are not kept to less.
constexpr double warmer_by = 2;
// Without a meter: processes may use this share of one CPU.
constexpr double quiet_share = 0.05;

bool is_measured_energy(const MeterInfo& info) {
  return is_energy(info) && info.counted != Counted::channel && info.quality != Quality::model;
}

Watts sum_of_parts(const Meters& meters, const Baseline& power) {
  std::vector<const MeterInfo*> infos;
  infos.reserve(meters.size());
  for (const auto& meter : meters) infos.push_back(&meter->info());
  const auto domains = metered_domains(infos);
  Watts sum{};
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const bool counts =
        std::find(domains.begin(), domains.end(), infos[i]->domain) != domains.end();
    if (counts && power.meters[i]) sum += power.meters[i]->mean;
  }
  return sum;
}

bool is_thermometer(const MeterInfo& info) {
  return info.counted == Counted::channel && info.unit == Unit::celsius;
}

bool is_cool(const Baseline& now, const Baseline& idle) {
  for (std::size_t i = 0; i < std::min(now.celsius.size(), idle.celsius.size()); ++i)
    if (now.celsius[i] && idle.celsius[i] && *now.celsius[i] > *idle.celsius[i] + warmer_by)
      return false;
  return true;
}

/// The temperature at the end of the time looked at: that is what a run starts from.
std::vector<std::optional<double>> read_thermometers(const Meters& meters) {
  std::vector<std::optional<double>> celsius(meters.size());
  for (std::size_t i = 0; i < meters.size(); ++i) {
    if (!is_thermometer(meters[i]->info())) continue;
    const Reading reading = meters[i]->read();
    if (reading.status == ReadStatus::ok)
      celsius[i] =
          static_cast<double>(static_cast<std::int64_t>(reading.raw)) * meters[i]->info().step;
  }
  return celsius;
}

bool is_quiet(const Conditions& before, const Conditions& after, Seconds wall) {
  if (!before.cpu_busy || !after.cpu_busy) return true;
  const Seconds busy = *after.cpu_busy - *before.cpu_busy;
  return busy <= std::max(quiet_share * wall, Seconds{0.03});  // three steps of /proc/stat
}

}  // namespace

Baseline measure_baseline(const Meters& meters, Seconds duration, Clock& clock,
                          const WantsToStop& stop) {
  std::vector<std::vector<Reading>> readings(meters.size());
  const auto read_all = [&] {
    for (std::size_t i = 0; i < meters.size(); ++i) {
      const MeterInfo& info = meters[i]->info();
      if (is_energy(info) && info.counted != Counted::channel)
        readings[i].push_back(meters[i]->read());
    }
  };
  const std::int64_t begin = clock.now_ns();
  const std::int64_t end = begin + nanoseconds(duration);
  read_all();
  for (std::int64_t next = begin + nanoseconds(reading_interval); next < end;
       next += nanoseconds(reading_interval)) {
    clock.sleep_until(next);
    if (stop && stop())
      return {std::vector<std::optional<Baseline::MeterPower>>(meters.size()), {}, {}};
    read_all();
  }
  clock.sleep_until(end);
  read_all();

  Baseline baseline;
  baseline.duration = seconds_between(begin, end);
  baseline.celsius = read_thermometers(meters);
  for (std::size_t i = 0; i < meters.size(); ++i) {
    auto& power = baseline.meters.emplace_back();
    if (readings[i].size() < 2) continue;
    // From the first reading to the last, so that both ends lie on the curve.
    const std::int64_t shift = nanoseconds(meters[i]->info().lag + meters[i]->info().window / 2);
    const std::int64_t from = readings[i].front().at_ns - shift;
    const std::int64_t to =
        readings[i].back().at_ns - shift - nanoseconds(meters[i]->info().update / 2);
    if (to <= from) continue;
    EnergyCurve curve(meters[i]->info(), {from, to});
    for (const auto& reading : readings[i]) curve.add(reading);
    curve.finish();
    const auto energy = curve.window(0, 1);
    if (!energy) continue;
    const Seconds length = seconds_between(from, to);
    power = Baseline::MeterPower{energy->value / length, energy->uncertainty / length};
  }
  return baseline;
}

Settling settle(const Meters& meters, const std::optional<Baseline>& baseline, Seconds at_most,
                const std::filesystem::path& root, Clock& clock, const WantsToStop& stop,
                double band) {
  Settling settling;
  const bool has_meter = std::any_of(meters.begin(), meters.end(), [](const auto& meter) {
    return is_measured_energy(meter->info());
  });
  const std::int64_t begin = clock.now_ns();
  const std::int64_t end = begin + nanoseconds(at_most);
  const Seconds step = std::min(settle_step, at_most);
  std::optional<Watts> last;
  Conditions before = read_conditions(root);
  while (!settling.settled && clock.now_ns() < end) {
    if (stop && stop()) break;
    const Baseline now = measure_baseline(meters, step, clock, stop);
    const Conditions after = read_conditions(root);
    const Watts power = sum_of_parts(meters, now);
    if (!has_meter)
      settling.settled = is_quiet(before, after, step);
    else if (baseline)
      settling.settled = power.value <= sum_of_parts(meters, *baseline).value * (1 + band);
    else
      settling.settled = last && power.value >= last->value * (1 - band);
    if (baseline && !is_cool(now, *baseline)) settling.settled = false;
    last = power;
    before = after;
  }
  settling.took = seconds_between(begin, clock.now_ns());
  return settling;
}

}  // namespace prengdl
