// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit/audited_runs.h"

namespace prengdl {

/// The measured joules of one domain in the runs of one cell, next to their seconds. Modelled
/// figures and runs without a length are left out.
struct MeasuredCell {
  std::string domain;
  const AuditCell* cell = nullptr;
  std::vector<const StoredRun*> runs;
  std::vector<double> joules;
  std::vector<double> seconds;  // of the window that energy is counted over
};

/// Cells in the order of the study, and the domains of each by name.
std::vector<MeasuredCell> measured_cells(const AuditRuns& runs);

/// The step of which all values are multiples, if it is at least 1e-5 of the largest. Needs four
/// different values: fewer have a common step by chance.
std::optional<double> common_step(std::span<const double> values);

/// The place of the last digit: 0.01 of 12.25, 100 of 3400.
double last_digit(double value);

/// Range over median.
double relative_range(std::span<const double> values);

}  // namespace prengdl
