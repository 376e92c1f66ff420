// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analyse.h"
#include "audit/input.h"
#include "campaign/result_study.h"
#include "report/report_input.h"
#include "store/result.h"

namespace prengdl {

// From a result directory to what is said of it: joins the store, the study, profiles and audit.

/// The analysis of a result that was read, with its machines' power models, its samples, and what
/// it holds of registration, looks and A/A.
Analysis analyse_result(const ResultStore& store, const ResultStudy& found,
                        const AnalysisOptions& options);

/// All that the audit looks at but the runs, their samples and profiles. The store must outlive it.
AuditInput audit_input(const ResultStore& store, const ResultStudy& found);

/// What the user of `report` may choose besides the analysis.
struct ReportOptions {
  AnalysisOptions analysis;
  std::optional<std::string> stated_window;  // of the study, where another one was chosen
  std::string published;                     // a file with published values; empty: none
  std::optional<double> least_share;         // of the time, from which on an API is listed
  bool anonymous = false;
  std::string version;  // of prengdl
};

/// A result read and analysed. The input points into `found`: it is made once and stays where it
/// is.
struct GatheredReport {
  ResultStudy found;
  ReportInput input;
  std::vector<std::string> private_names;  // of machines and people
};

/// Makes all analyses that the result in `into.found` allows; of the others the input says why not.
/// Throws a UsageError for an option that asks for what the result does not have.
void gather(const ResultStore& store, const ReportOptions& options, GatheredReport& into);

/// The audit of the result, and on the way, for samples are read only once, power over time.
void audit_and_trace(const ResultStore& store, GatheredReport& into);

}  // namespace prengdl
