// SPDX-License-Identifier: Apache-2.0
//
// Simulated runs that are measured by a counter whose step and update interval nobody states, as
// with `--meter`: the true energy is an integral, so it can be asked how often the stated interval
// holds it. Shared by `counter_coverage` and the tests.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "model/energy.h"

namespace bench {

/// Joules and seconds of one kind of counter.
struct CounterKind {
  double step{};      // its value is a multiple of this
  double interval{};  // and is brought up to date this often
};

constexpr std::array counter_steps{0.001, 0.01, 0.1, 1.0, 10.0, 36.0, 100.0};
constexpr std::array counter_intervals{0.001, 0.01, 0.1, 1.0, 5.0};

/// Piecewise constant power and its integral.
class PowerSteps {
 public:
  explicit PowerSteps(double watts) : watts_{watts}, from_{0}, joules_{0} {}
  void change(double at, double watts) {
    joules_.push_back(energy(at));
    from_.push_back(at);
    watts_.push_back(watts);
  }
  double energy(double at) const {
    const auto next = std::upper_bound(from_.begin(), from_.end(), at);
    const auto i = static_cast<std::size_t>(next - from_.begin()) - 1;
    return joules_[i] + watts_[i] * (at - from_[i]);
  }

 private:
  std::vector<double> watts_, from_, joules_;
};

/// What came out of one simulated run.
struct CounterRun {
  double truth{};
  double watts{};     // mean of the run
  double interval{};  // at which new values come: of the counter, or of the lines if that is longer
  std::optional<prengdl::Energy> stated;
};

/// How the program behind `--meter` prints: a line when the counter was brought up to date, or a
/// line every so often whether it was or not.
enum class Printing { at_updates, polled };

class SimulatedRun {
 public:
  SimulatedRun(CounterKind kind, std::mt19937_64& random) : kind_(kind), random_(random) {
    const double typical = log_uniform(20, 200);
    const double idle = typical * uniform(0.05, 1);
    const double slowest = std::max(kind.step / typical, kind.interval);
    length_ = std::max(0.2, slowest * log_uniform(3, 100));
    begin_ = uniform(20, 30) + 10 * slowest;
    PowerSteps power(idle);
    const int levels = static_cast<int>(uniform(1, 5));
    std::vector<double> changes{0};
    for (int i = 1; i < levels; ++i) changes.push_back(uniform(0, length_));
    std::sort(changes.begin(), changes.end());
    for (const double at : changes)
      power.change(begin_ + at, levels == 1 ? typical : typical * log_uniform(0.4, 2.5));
    power.change(begin_ + length_, idle);
    power_ = power;
    jitter_ = std::array{0.0, 0.1, 0.5}[static_cast<std::size_t>(uniform(0, 3))];
    printing_ = uniform(0, 2) < 1 ? Printing::at_updates : Printing::polled;
    offset_ = uniform(0, 1000 * kind.step);  // the counter began long before
  }

  CounterRun measure() {
    const double end = begin_ + length_;
    // As the sampler reads an external meter: its latest line, before the start, every 50 ms and
    // right after the exit.
    std::vector<prengdl::Reading> readings;
    advance_to(begin_);
    readings.push_back(latest_);
    for (double at = begin_ + 0.05; at < end; at += 0.05) {
      advance_to(at);
      readings.push_back(latest_);
    }
    advance_to(end + 1e-4);
    readings.push_back(latest_);

    prengdl::MeterInfo info;
    info.id = "simulated";
    info.kind = prengdl::Kind::counter;
    info.quality = prengdl::Quality::wall;
    info.unit = prengdl::Unit::joule;
    info.step = 1e-6;
    prengdl::EnergyCurve curve(info, {stamp(begin_), stamp(end)});
    for (const auto& reading : readings) curve.add(reading);
    curve.finish();
    CounterRun run;
    run.truth = power_.energy(end) - power_.energy(begin_);
    run.watts = run.truth / length_;
    run.interval =
        printing_ == Printing::polled ? std::max(kind_.interval, poll()) : kind_.interval;
    if (curve.is_resolved(0, 1)) run.stated = curve.window(0, 1);
    return run;
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  /// A few times per run at least.
  double poll() const { return std::min(poll_, std::max(kind_.interval, length_ / 5)); }
  static std::int64_t stamp(double seconds) { return std::llround(seconds * 1e9); }

  /// All lines that were printed by then; only the last one matters.
  void advance_to(double at) {
    if (next_update_ == 0) {
      const double ahead = std::max(3 * kind_.interval, 0.2);
      next_update_ = begin_ - ahead - uniform(0, kind_.interval);
      next_poll_ = next_update_ + kind_.interval * (1 + jitter_);
      poll_ = std::array{0.02, 0.1, 1.0}[static_cast<std::size_t>(uniform(0, 3))];
    }
    // Updates long before `at` leave no trace; a counter of 1 ms need not be simulated one by one.
    if (jitter_ == 0 && at - next_update_ > 10 * kind_.interval &&
        printing_ == Printing::at_updates)
      next_update_ += std::floor((at - next_update_) / kind_.interval - 5) * kind_.interval;
    for (;;) {
      const bool polls = printing_ == Printing::polled && next_poll_ < next_update_;
      const double now = polls ? next_poll_ : next_update_;
      if (now > at) break;
      if (polls) {
        print(now);
        next_poll_ += poll();
      } else {
        shown_ = std::floor((power_.energy(now) + offset_ + 1e3) / kind_.step) * kind_.step;
        if (printing_ == Printing::at_updates) print(now);
        next_update_ += kind_.interval * uniform(1 - jitter_, 1 + jitter_ + 1e-12);
      }
    }
  }
  void print(double at) {
    // The value may be as old as the line before.
    const std::int64_t at_ns = stamp(at);
    if (latest_.at_ns > 0)
      latest_.slack_ns = static_cast<std::uint32_t>((at_ns - latest_.at_ns) / 2);
    latest_.at_ns = at_ns;
    latest_.raw = static_cast<std::uint64_t>(std::llround(shown_ * 1e6));
  }

  CounterKind kind_;
  std::mt19937_64& random_;
  PowerSteps power_{0};
  double length_{}, begin_{}, jitter_{}, offset_{};
  double next_update_{}, next_poll_{}, poll_{};
  double shown_{};
  Printing printing_{};
  prengdl::Reading latest_;
};

}  // namespace bench
