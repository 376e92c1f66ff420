// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// The power that the fake machine draws, as a function of time whose integral is known exactly.
struct Waveform {
  enum class Shape { constant, square, sine };
  Shape shape = Shape::constant;
  double watts = 60;       // constant: the power; square: the low level; sine: the mean
  double other_watts = 0;  // square: the high level; sine: the amplitude
  double hertz = 1;
  double duty = 0.5;  // square: each period starts high, for this share of it

  /// Joules drawn in the first `seconds`, 0 before the start.
  double energy(double seconds) const {
    if (seconds <= 0) return 0;
    if (shape == Shape::square) {
      const double period = 1 / hertz;
      const double high = duty * period;
      const double whole = std::floor(seconds / period);
      const double rest = seconds - whole * period;
      const double per_period = other_watts * high + watts * (period - high);
      return whole * per_period + other_watts * std::min(rest, high) +
             watts * std::max(0.0, rest - high);
    }
    if (shape == Shape::sine) {
      const double omega = 2 * std::numbers::pi * hertz;
      return watts * seconds + other_watts / omega * (1 - std::cos(omega * seconds));
    }
    return watts * seconds;
  }
};

/// Reads "const:W", "square:LOW,HIGH,HZ[,DUTY]" or "sine:MEAN,AMPLITUDE,HZ".
inline std::optional<Waveform> parse_waveform(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  std::vector<double> numbers;
  for (std::size_t at = colon; at < text.size();) {  // at a separator: ':' first, then ','
    std::size_t used = 0;
    try {
      numbers.push_back(std::stod(text.substr(at + 1), &used));
    } catch (const std::exception&) {
      return std::nullopt;
    }
    at += 1 + used;
    if (at < text.size() && text[at] != ',') return std::nullopt;
  }
  const std::string name = text.substr(0, colon);
  const std::size_t count = numbers.size();
  numbers.resize(4, 0.5);  // 0.5 is the duty of a square that names none
  Waveform wave{Waveform::Shape::constant, numbers[0], numbers[1], numbers[2], numbers[3]};
  if (name == "const" && count == 1) return wave;
  if (count < 3 || wave.hertz <= 0) return std::nullopt;
  wave.shape = name == "square" ? Waveform::Shape::square : Waveform::Shape::sine;
  if (name == "square" && count <= 4 && wave.duty >= 0 && wave.duty <= 1) return wave;
  if (name == "sine" && count == 3) return wave;
  return std::nullopt;
}

/// A RAPL energy counter: counts whole units, is renewed in steps of time, and wraps.
struct Counter {
  double share = 1;                        // of the waveform's power
  double start_joules = 1000;              // its value when the waveform starts
  double unit_joules = 1.0 / (1 << 14);    // energy status unit 14, as on most Intel parts
  std::uint64_t range_units = 1ull << 32;  // it counts modulo this
  std::int64_t update_ns = 1'000'000;      // renewed this often; 0: at every read

  /// The value that the hardware holds `elapsed_ns` after the waveform's start, in units.
  std::uint64_t units(const Waveform& wave, std::int64_t elapsed_ns) const {
    const std::int64_t since = std::max<std::int64_t>(0, elapsed_ns);
    const std::int64_t renewed = update_ns > 0 ? since - since % update_ns : since;
    const double joules = start_joules + share * wave.energy(static_cast<double>(renewed) * 1e-9);
    return static_cast<std::uint64_t>(std::floor(joules / unit_joules)) % range_units;
  }
  /// The same as the kernel prints it, in whole microjoules.
  std::uint64_t microjoules(const Waveform& wave, std::int64_t elapsed_ns) const {
    return to_microjoules(units(wave, elapsed_ns));
  }
  /// The largest value that the counter reaches, as in max_energy_range_uj.
  std::uint64_t max_microjoules() const { return to_microjoules(range_units - 1); }

  /// Makes the counter wrap once the waveform (not this zone's share of it) has drawn `joules`.
  void wrap_after(double joules) {
    start_joules = static_cast<double>(range_units) * unit_joules - share * joules;
  }

 private:
  std::uint64_t to_microjoules(std::uint64_t units) const {
    return static_cast<std::uint64_t>(static_cast<double>(units) * unit_joules * 1e6);
  }
};

}  // namespace bench
