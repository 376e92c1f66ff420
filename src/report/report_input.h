// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/accuracy.h"
#include "analysis/api_cost.h"
#include "analysis/audit.h"
#include "analysis/energy_time.h"
#include "analysis/factorial.h"
#include "analysis/lifecycle.h"
#include "analysis/model_bounds.h"
#include "analysis/reach.h"
#include "analysis/unit_runs.h"
#include "model/aa_record.h"
#include "model/comparison.h"
#include "model/result.h"
#include "report/report_model.h"
#include "report/report_thinning.h"

namespace prengdl {

/// A figure that someone else printed, to be set beside the computed one.
struct PublishedValue {
  CellPattern cell;  // may leave out factors with a single level
  std::string measure;
  double value = 0;
  std::size_t line = 0;  // of the file
};

/// A cProfile dump and the cell that it is of.
struct CellProfileCost {
  std::string label;  // "train ncf pytorch"
  Cell cell;          // empty: of none that the study has
  ProfileCost cost;
  std::optional<double> joules;  // mean of the cell's runs, where all of them were measured
};

/// A decision to leave a run out or take it back.
struct ExclusionLine {
  std::string run, reason, who, at;
  bool excluded = true;
};

/// An analysis that was made, or why it could not be, in words.
template <class T>
struct Made {
  std::optional<T> value;
  std::string why_not;
};

/// All that a report is made from. What it points to must outlive it.
struct ReportInput {
  Study study;
  StudyRecord record;
  const std::vector<StoredRun>* runs = nullptr;  // all that were ever made, with their meters
  bool is_paired = true;
  std::optional<std::string> stated_window;  // of the study, where another one was chosen
  std::vector<std::string> levels;  // of the compared factor; one name where nothing is compared
  std::vector<UnitRuns> units;
  std::set<std::string> modelled;  // measures that any counted run has modelled and not measured
  std::string primary;             // the energy that derived figures are of: never seconds

  Made<Findings> findings;
  Made<Accuracy> accuracy;
  std::vector<Reaches> reaches;  // one for each unit that has a target
  Made<Lifecycle> lifecycle;
  Made<std::vector<FactorialView>> factorial;
  Made<EnergyTime> energy_time;
  std::optional<ModelBounds> bounds;
  std::vector<AuditFinding> audit;
  std::vector<PowerSeries> power;
  std::vector<CellProfileCost> profiles;
  double least_share = 0.01;  // of APIs

  std::vector<MachineRecord> machines;
  std::vector<AaRecord> aa;
  std::vector<StudyEvent> events;
  std::vector<ExclusionLine> exclusions;
  std::vector<PublishedValue> published;
  std::vector<std::pair<std::string, std::string>> long_names;  // as shown here, in full
  std::string result_name;                                      // the result directory's own name
  bool is_anonymous = false;
  std::string version;
  std::string made_at;
};

/// The ten parts of the report, in their order.
Report make_report(const ReportInput& input);

// The parts, one file each.
ReportPart answer_part(const ReportInput& input);
ReportPart costs_part(const ReportInput& input);
ReportPart accuracy_part(const ReportInput& input);
ReportPart sweeps_part(const ReportInput& input);
ReportPart power_part(const ReportInput& input);
ReportPart apis_part(const ReportInput& input);
ReportPart time_part(const ReportInput& input);
ReportPart audit_part(const ReportInput& input);
ReportPart design_part(const ReportInput& input);
ReportPart machine_part(const ReportInput& input);

// What is in files of their own beside a part.
void say_quality(const ReportInput& input, ReportPart& part);  // of the answer: what the energy
                                                               // is worth
bool say_standings(const ReportInput& input, const std::string& measure,
                   ReportPart& part);  // of the answer: many levels; false: nothing to compare
void say_against(const ReportInput& input, ReportPart& part);      // what the audit objects
void say_own_cost(const ReportInput& input, ReportPart& part);     // of the study itself
void add_break_even(const ReportInput& input, ReportPart& part);   // of costs
ReportTable published_table(const ReportInput& input);             // of costs
void add_call_charts(const ReportInput& input, ReportPart& part);  // of APIs

/// Mean of the figure over the counted runs of one level of a unit: a measure of the study's
/// window, "watts", a channel or a metric by its name; nothing where a run lacks it.
std::optional<double> cell_mean(const ReportInput& input, const std::vector<const StoredRun*>& runs,
                                const std::string& measure);
std::optional<double> run_figure(const ReportInput& input, const Run& run,
                                 const std::string& measure);

/// "energy", "package energy", "time"; modelled energy says so wherever it stands.
std::string titled(const ReportInput& input, const std::string& measure);
bool is_modelled(const ReportInput& input, const std::string& measure);

/// The measure that headline, tables and charts are about (analysis/headline.h).
std::string headline_of(const ReportInput& input);

/// How the charts of single runs are kept small.
Thinning thinning_of(const ReportInput& input);

/// What the compared factor is called.
std::string level_title(const ReportInput& input);

/// The factor that separates phases of a life, "phase" where the study has one.
std::optional<std::string> phase_factor(const Study& study);

}  // namespace prengdl
