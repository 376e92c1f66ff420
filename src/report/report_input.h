// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analyse.h"
#include "audit/audit.h"
#include "model/result.h"
#include "print/compare.h"
#include "profile/api_cost.h"
#include "report/report_model.h"
#include "report/result_profiles.h"
#include "report/thinning.h"

namespace prengdl {

/// A figure that someone else printed, to be set beside the computed one.
struct PublishedValue {
  CellPattern cell;  // may leave out factors with a single level
  std::string measure;
  double value = 0;
  std::size_t line = 0;  // of the file
};

/// A decision to leave a run out or take it back.
struct ExclusionLine {
  std::string run, reason, who, at;
  bool excluded = true;
};

/// All that a report is made from: the analysis, and what is shown beside it. What it points to
/// must outlive it.
struct ReportInput : Analysis {
  Study study;
  StudyRecord record;
  const std::vector<StoredRun>* runs = nullptr;  // all that were ever made, with their meters
  bool is_paired = true;
  std::optional<std::string> stated_window;  // of the study, where another one was chosen

  std::vector<AuditFinding> audit;
  std::vector<PowerSeries> power;
  std::vector<CellProfileCost> profiles;
  double least_share = 0.01;  // of APIs

  std::vector<MachineRecord> machines;
  std::vector<StudyEvent> events;
  std::vector<ExclusionLine> exclusions;
  std::vector<PublishedValue> published;
  std::string result_name;  // the result directory's own name
  bool is_anonymous = false;
  std::string version;
  std::string made_at;
};

/// The ten parts of the report, in their order.
Report make_report(const ReportInput& input);

// The parts, one file each.
Part answer_part(const ReportInput& input);
Part costs_part(const ReportInput& input);
Part scores_part(const ReportInput& input);
Part sweeps_part(const ReportInput& input);
Part power_part(const ReportInput& input);
Part apis_part(const ReportInput& input);
Part time_part(const ReportInput& input);
Part audit_part(const ReportInput& input);
Part design_part(const ReportInput& input);
Part machine_part(const ReportInput& input);

/// Published figures: a CSV with columns for factors, `measure` and `value`. Errors name the line.
std::vector<PublishedValue> read_published(const std::string& file, const Study& study);

// What is in files of their own beside a part.
void say_quality(const ReportInput& input, Part& part);  // of the answer: what the energy
                                                         // is worth
bool say_standings(const ReportInput& input, const std::string& measure,
                   Part& part);  // of the answer: many levels; false: nothing to compare
void say_against(const ReportInput& input, Part& part);      // what the audit objects
void say_own_cost(const ReportInput& input, Part& part);     // of the study itself
void add_break_even(const ReportInput& input, Part& part);   // of costs
Table published_table(const ReportInput& input);             // of costs
void add_call_charts(const ReportInput& input, Part& part);  // of APIs

/// Mean of the figure over the counted runs of one level of a case: a measure of the study's
/// window, "watts", a channel or a metric by its name; nothing where a run lacks it.
std::optional<double> cell_mean(const ReportInput& input, const std::vector<const StoredRun*>& runs,
                                const std::string& measure);
std::optional<double> run_figure(const ReportInput& input, const Run& run,
                                 const std::string& measure);

/// "energy", "package energy", "time"; modelled energy says so wherever it stands.
std::string titled(const ReportInput& input, const std::string& measure);
bool is_modelled(const ReportInput& input, const std::string& measure);

/// The measure that headline, tables and charts are about (conclude/standings.h).
std::string headline_of(const ReportInput& input);

/// How the charts of single runs are kept small.
Thinning thinning_of(const ReportInput& input);

/// What tables call things, and the column that names a comparison's case. The input must outlive
/// them.
Names names_of(const ReportInput& input);
ComparisonColumn case_column(const ReportInput& input);

/// What the compared factor is called.
std::string level_title(const ReportInput& input);

}  // namespace prengdl
