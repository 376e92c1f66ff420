// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/result_study.h"
#include "report/compare_report.h"
#include "report/terminal.h"
#include "store/result.h"

namespace prengdl {

/// The options of `compare` that ask for more than which level costs less.
struct ComparePartOptions {
  std::string lifecycle, carbon, price, pue, embodied, metric, reach;
  bool lower_is_better = false, energy_time = false, factorial = false;

  void declare(Arguments& arguments);
};

/// The parts that were asked for, and those that go without saying: energy against accuracy where
/// the runs told it, bounds where there was no meter. Energy against time is always in the JSON.
/// Throws a UsageError that names the option.
std::vector<ComparePart> compare_parts(const ComparePartOptions& options, const ResultStore& store,
                                       const ResultStudy& found, bool per_work, const Style& style);

}  // namespace prengdl
