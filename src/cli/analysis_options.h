// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/analyse.h"
#include "audit/audit.h"
#include "base/error.h"
#include "campaign/result_study.h"
#include "cli/arguments.h"
#include "store/result.h"

namespace prengdl {

/// The options that `compare` and `report` share, as they were written.
struct AnalysisWords {
  std::string metric, reach, lifecycle;
  bool lower_is_better = false;
};

/// Declares --analysis, which compare, report and audit share.
void declare_analysis_file(Arguments& arguments, std::string& file);

/// Reads a result. With a file, its [analysis] takes the place of the result's own, which stays as
/// it is. Throws a UsageError with file, line and column for what does not fit the result.
ResultStudy read_result(const ResultStore& store, const std::string& analysis_file);

/// The audit of a result, with its samples and profiles. The runs are lent to it and come back.
std::vector<AuditFinding> audit_result(const ResultStore& store, AuditInput input,
                                       std::vector<StoredRun>& runs);

/// A note for readers: which file the analysis follows.
std::string analysis_file_note(const std::string& file);

/// What they mean for this study. Throws a UsageError that names the option.
AnalysisOptions analysis_options(const AnalysisWords& words, const Study& study);

/// The value of an option, or a UsageError that names it.
template <class T>
T or_refuse(const char* option, Result<T> value) {
  if (!value)
    throw UsageError(std::string(option) + ": " + value.error().what(), value.error().hint);
  return std::move(*value);
}

}  // namespace prengdl
