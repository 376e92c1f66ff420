// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/result_study.h"
#include "report/report_input.h"
#include "store/result.h"

namespace prengdl {

/// What the user of `report` may choose.
struct ReportOptions {
  std::string window, metric, reach, lifecycle, least, compare_with;
  bool lower_is_better = false, anonymous = false;
};

/// A result read and analysed. The input points into `found`: it is made once and stays where it
/// is.
struct AnalysedResult {
  ResultStudy found;
  ReportInput input;
  std::vector<std::string> private_names;  // of machines and people
};

/// Makes all analyses that the result allows; of the others the input says why not. Throws a
/// UsageError for a wrong option.
void analyse(const ResultStore& store, const ReportOptions& options, AnalysedResult& into);

/// The audit of the result, and on the way, for samples are read only once, power over time.
/// `full_name` gives what a level is called in the study file.
void audit_and_trace(const ResultStore& store, AnalysedResult& into,
                     const std::map<std::string, std::string>& full_names);

/// All cProfile dumps below a result directory, also those of cells without runs. Looks at nothing
/// else, so it may run beside other analyses. Throws an Error that names the file.
std::vector<CellProfileCost> profiles_in(const std::filesystem::path& result, const Study& study);

/// Levels whose names would fill a page get short ones, each its own; gives short and full.
std::vector<std::pair<std::string, std::string>> shorten_names(ResultStudy& found);

/// Published figures: a CSV with columns for factors, `measure` and `value`. Errors name the line.
std::vector<PublishedValue> read_published(const std::string& file, const Study& study);

}  // namespace prengdl
