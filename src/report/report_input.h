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

/// A figure that someone else printed, shown next to the computed one.
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

/// All that a report is made from: the analysis, and what is shown next to it. What it points to
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

/// The first screen, then a part for each question that the result can answer.
Report make_report(const ReportInput& input);

// The first screen.
ReportSummary summary_of(const ReportInput& input);
std::string question_of(const ReportInput& input);
std::vector<SummaryCaution> cautions_of(const ReportInput& input);

// The parts, one file each. One that the result has no data for has no blocks, and says why.
Part answer_part(const ReportInput& input);
Part certainty_part(const ReportInput& input);
Part why_part(const ReportInput& input);
Part scores_part(const ReportInput& input);
Part factors_part(const ReportInput& input);
Part power_part(const ReportInput& input);
Part calls_part(const ReportInput& input);
Part larger_run_part(const ReportInput& input);
Part method_part(const ReportInput& input);

/// What only a paper needs: the methods as paragraphs, in which `[@key]` cites, and the costs in
/// the form of the published studies. Not a part of make_report().
Part paper_part(const ReportInput& input);

/// Published figures: a CSV with columns for factors, `measure` and `value`. Errors name the line.
std::vector<PublishedValue> read_published(const std::string& file, const Study& study);

// What is in files of their own next to a part.
Chart overview_chart(const ReportInput& input);  // of the answer: the first screen's picture
bool say_standings(const ReportInput& input, const std::string& measure,
                   Part& part);  // of the answer: many levels; false: nothing to compare
void add_costs(const ReportInput& input, Part& part);        // of the answer
Table published_table(const ReportInput& input);             // of the answer
void add_call_charts(const ReportInput& input, Part& part);  // of the calls
void add_machine(const ReportInput& input, Part& part);      // of the method

/// "run time", "power", "run time and power": which of them makes the difference, by their shares
/// of the ratio's logarithm. Empty if neither differs by itself.
std::string because(const Comparison& one);

/// How the energy behind a measure was obtained: "measured: package, gpu", "modelled"; "" for time.
std::string badge_of(const ReportInput& input, const std::string& measure);

/// What the answer's measure is called in a sentence: "energy", "time per sample".
std::string cost_noun(const ReportInput& input);

std::string number_word(std::size_t number);  // "six", "13"

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
Names plain_names_of(const ReportInput& input);  // where a badge says what is modelled
ComparisonColumn case_column(const ReportInput& input);

/// What the compared factor is called.
std::string level_title(const ReportInput& input);

}  // namespace prengdl
