// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/units.h"

namespace prengdl {

/// A coefficient with the range of values that are assumed to include the true one.
struct Coefficient {
  double value{};
  double low{};
  double high{};
};

/// Watts from utilisation where there is no meter: a function of run time and CPU time only, so it
/// can never be evidence next to them.
struct PowerModel {
  std::string row;     // the line of the data file: "EPYC 3rd gen (Zen 3)"
  std::string source;  // where its figures come from
  std::string note;
  int cpus = 0;
  double memory_gigabytes = 0;
  Coefficient idle_per_cpu;         // W
  Coefficient full_per_cpu;         // W
  Coefficient memory_per_gigabyte;  // W
};

/// Power that is drawn whatever runs: idle CPUs and memory.
constexpr Watts standing_power(const PowerModel& model) {
  return {model.cpus * model.idle_per_cpu.value +
          model.memory_gigabytes * model.memory_per_gigabyte.value};
}

/// Power that one busy CPU adds.
constexpr Watts power_per_busy_cpu(const PowerModel& model) {
  return {model.full_per_cpu.value - model.idle_per_cpu.value};
}

constexpr Joules modelled_energy(const PowerModel& model, Seconds wall, Seconds busy_cpu) {
  return standing_power(model) * wall + power_per_busy_cpu(model) * busy_cpu;
}

}  // namespace prengdl
