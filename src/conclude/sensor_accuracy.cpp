// SPDX-License-Identifier: Apache-2.0
#include "conclude/sensor_accuracy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/strings.h"
#include "model/accuracy.h"
#include "model/energy.h"
#include "model/measure.h"

namespace prengdl {
namespace {

using Runs = std::vector<const StoredRun*>;

constexpr double normal_factor = 1.96;  // 95 % of a normal distribution, either side
/// A domain whose share differs by 1 % takes 1 % from the others: a gain that is 10 % off then
/// shifts the ratio by 0.1 %, which no study resolves.
constexpr double negligible_weight = 0.02;
constexpr double negligible_error = 0.001;
constexpr double cancelled_weight = 1e-9;  // except for rounding

/// The meters that a run's energy in a domain is the sum of (model/totals.cpp).
std::vector<const MeterInfo*> meters_of(const StoredRun& run, const std::string& domain) {
  std::vector<const MeterInfo*> meters;
  for (const auto& meter : run.meters) {
    if (!is_energy(meter) || meter.domain != domain || meter.counted == Counted::channel ||
        meter.counted == Counted::duplicate || meter.counted == Counted::not_allocated)
      continue;
    // Meters of the whole machine are alternatives: the better one speaks.
    if (meter.counted == Counted::alone && !meters.empty()) {
      if (meter.quality < meters.front()->quality) meters.front() = &meter;
      continue;
    }
    meters.push_back(&meter);
  }
  return meters;
}

std::vector<std::string> domains_of(const StoredRun& run, const std::string& measure) {
  return measure == measures::metered ? run.run.energy.covers : std::vector<std::string>{measure};
}

/// What one physical sensor does to the logarithm of the ratio.
struct Sensor {
  Accuracy accuracy;
  double per_gain = 0;  // w_k
  double per_watt = 0;  // v_k
};

/// The sensors behind two levels, with the weights of their gains and offsets.
class Sensors {
 public:
  Sensors(const std::string& measure, const Window& window, std::span<const MachineRecord> machines)
      : measure_(measure), window_(window) {
    for (const auto& machine : machines) cpus_[machine.fingerprint] = &machine.facts.cpu;
  }

  /// `sign` 1 for the level above the line, -1 for the one below. False if no run has a figure.
  bool add(const Runs& runs, int sign) {
    std::vector<const StoredRun*> measured;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(measured), [&](const auto* run) {
      return value_in(run->run, window_, measure_).value_or(0) > 0;
    });
    for (const auto* run : measured) add(*run, sign / static_cast<double>(measured.size()));
    return !measured.empty();
  }

  SensorAccuracy result() const {
    SensorAccuracy result;
    double variance = 0;
    double weight = 0;
    std::set<std::string> unknown;
    std::set<std::string> uncertain;
    for (const auto& [name, sensor] : sensors_) {
      const double own_weight = std::abs(sensor.per_gain);
      weight += own_weight;
      if (!sensor.accuracy.gain) {
        result.unknown_weight += own_weight;
        if (own_weight > cancelled_weight)
          unknown.insert(fmt::format("{} ({})", sensor.accuracy.kind, sensor.accuracy.note));
      }
      if (sensor.accuracy.shared == SharedError::workload) uncertain.insert(sensor.accuracy.kind);
      const double gain = standard_uncertainty(sensor.accuracy.gain.value_or(0));
      const double offset = standard_uncertainty(sensor.accuracy.offset.value_or(Watts{}).value);
      variance += std::pow(sensor.per_gain * gain, 2) + std::pow(sensor.per_watt * offset, 2);
    }
    result.needed = weight > negligible_weight || std::sqrt(variance) > negligible_error;
    if (result.unknown_weight > negligible_weight) {
      result.reason = "the accuracy is not known for " + joined(unknown, "; ");
      return result;
    }
    result.standard_error = std::sqrt(variance);
    if (!uncertain.empty())
      result.reason = "the error of " + joined(uncertain, " and ") +
                      " depends on the workload and may differ between the levels";
    return result;
  }

 private:
  void add(const StoredRun& run, double part) {
    const double joules = *value_in(run.run, window_, measure_);
    const double seconds = value_in(run.run, window_, measures::seconds).value_or(0);
    for (const auto& domain : domains_of(run, measure_)) {
      const auto meters = meters_of(run, domain);
      const double share = value_in(run.run, window_, domain).value_or(0) / joules;
      for (const auto* meter : meters) {
        Sensor& sensor = sensor_behind(run, *meter);
        sensor.per_gain += part * share / static_cast<double>(meters.size());
        sensor.per_watt += part * seconds / joules;
      }
      if (meters.empty()) unrecorded(run, domain).per_gain += part * share;
    }
  }

  Sensor& sensor_behind(const StoredRun& run, const MeterInfo& meter) {
    const auto [place, is_new] = sensors_.try_emplace(sensor_of(meter, run.machine));
    if (is_new) {
      const auto cpu = cpus_.find(run.machine);
      place->second.accuracy = accuracy_of(meter, cpu == cpus_.end() ? nullptr : cpu->second);
    }
    return place->second;
  }

  Sensor& unrecorded(const StoredRun& run, const std::string& domain) {
    Sensor& sensor = sensors_[run.machine + "//" + domain];
    sensor.accuracy.kind = "a meter of " + domain;
    sensor.accuracy.note = "the result does not name it";
    return sensor;
  }

  const std::string& measure_;
  const Window& window_;
  std::map<std::string, const CpuFacts*> cpus_;
  std::map<std::string, Sensor> sensors_;
};

}  // namespace

SensorAccuracy sensor_accuracy(const Runs& a, const Runs& b, const std::string& measure,
                               const Window& window, std::span<const MachineRecord> machines) {
  if (is_in_seconds(measure)) return {0.0, false, 0, ""};
  Sensors sensors(measure, window, machines);
  if (!sensors.add(a, 1) || !sensors.add(b, -1))
    return {std::nullopt, false, 0, "a level has no run with a figure"};
  return sensors.result();
}

std::array<double, 2> with_sensor_accuracy(double ratio, const std::array<double, 2>& ci95,
                                           double standard_error) {
  const double sensors = normal_factor * standard_error;
  return {ratio * std::exp(-std::hypot(std::log(ratio / ci95[0]), sensors)),
          ratio * std::exp(std::hypot(std::log(ci95[1] / ratio), sensors))};
}

std::optional<double> tipping_gain(const SensorAccuracy& accuracy,
                                   const std::array<double, 2>& ci95) {
  if (accuracy.unknown_weight <= 0 || (ci95[0] <= 1 && ci95[1] >= 1)) return std::nullopt;
  const double nearest = ci95[0] > 1 ? std::log(ci95[0]) : -std::log(ci95[1]);
  return nearest / accuracy.unknown_weight;
}

std::optional<double> energy_step(const StoredRun& run, const std::string& measure) {
  if (is_in_seconds(measure)) return std::nullopt;
  double step = 0;
  for (const auto& domain : domains_of(run, measure)) {
    double quanta = 0;
    bool is_learnt = false;
    for (const auto* meter : meters_of(run, domain)) {
      quanta +=
          meter->kind == Kind::counter ? meter->quantum : meter->quantum * run.run.window.count();
      is_learnt = is_learnt || learns_step(*meter);
    }
    const auto energy = run.run.energy.domains.find(domain);
    step += is_learnt && energy != run.run.energy.domains.end()
                ? std::max(quanta, energy->second.uncertainty.value)
                : quanta;
  }
  return step > 0 ? std::optional(step) : std::nullopt;
}

}  // namespace prengdl
