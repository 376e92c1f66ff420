// SPDX-License-Identifier: Apache-2.0
#include "audit/measured.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/summary.h"

namespace prengdl {

std::vector<MeasuredCell> measured_cells(const AuditRuns& runs) {
  std::vector<MeasuredCell> found;
  for (const auto& cell : runs.cells()) {
    std::map<std::string, MeasuredCell> domains;
    for (const auto* run : cell.runs) {
      const Seconds window = run->run.window.count() > 0 ? run->run.window : run->run.wall;
      if (!(window.count() > 0)) continue;
      for (const auto& [domain, energy] : run->run.energy.domains) {
        if (energy.quality == Quality::model) continue;
        auto& one = domains[domain];
        one.runs.push_back(run);
        one.joules.push_back(energy.value.value);
        one.seconds.push_back(window.count());
      }
    }
    for (auto& [domain, one] : domains) {
      one.domain = domain;
      one.cell = &cell;
      found.push_back(std::move(one));
    }
  }
  return found;
}

std::optional<double> common_step(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() < 4 || sorted.front() < 0) return std::nullopt;
  const double tolerance = 1e-6 * sorted.back();
  // Euclid's algorithm, for numbers that are only nearly multiples of each other.
  double step = 0;
  for (double rest : sorted) {
    while (rest > tolerance) {
      std::swap(step, rest);
      rest = std::fmod(rest, step);
      if (step - rest < tolerance) rest = 0;
    }
  }
  return step > 10 * tolerance ? std::optional(step) : std::nullopt;
}

double last_digit(double value) {
  const std::string text = fmt::format("{:.12e}", std::abs(value));
  const auto exponent = std::stoi(text.substr(text.find('e') + 1));
  const std::string digits = text.substr(0, text.find('e'));
  const auto last = digits.find_last_not_of("0.");
  const int decimals = last == std::string::npos || last == 0 ? 0 : static_cast<int>(last) - 1;
  return std::pow(10.0, exponent - decimals);
}

double relative_range(std::span<const double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double middle = median(values);
  return middle > 0 ? (*most - *least) / middle : 0;
}

}  // namespace prengdl
