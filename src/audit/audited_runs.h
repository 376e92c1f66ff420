// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/finding.h"
#include "audit/input.h"
#include "audit/series.h"
#include "model/window.h"

namespace prengdl {

/// The runs of a cell that count (model/counted_runs.h), in the order in which they were made.
struct AuditCell {
  Cell cell;
  std::vector<const StoredRun*> runs;
};

/// The runs as all checks look at them. The input must outlive it.
class AuditRuns {
 public:
  explicit AuditRuns(const AuditInput& input);

  const AuditInput& input() const { return input_; }
  const Study& study() const { return input_.study; }
  const std::vector<AuditCell>& cells() const { return cells_; }

  /// Places in cells() of cells that differ only in the compared factor: two or more of them.
  const std::vector<std::vector<std::size_t>>& cases() const { return cases_; }

  /// The place of the compared factor in a cell; nothing where the study compares nothing.
  std::optional<std::size_t> compared() const { return compared_; }
  const std::string& level(const StoredRun& run) const { return run.cell.at(*compared_); }
  /// In the order of the study, those that have counted runs.
  std::vector<std::string> levels() const;

  /// Counted runs of all cells, and all runs that were ever made, in the order of time.
  const std::vector<const StoredRun*>& counted() const { return counted_; }
  const std::vector<const StoredRun*>& made() const { return made_; }

  /// Whether the order of runs of different cells was recorded: every good run says when it began.
  /// An import may know no more than the number of a run within its cell.
  bool knows_order() const { return knows_order_; }
  bool is_counted(const StoredRun& run) const { return series_.contains(&run); }

  /// The primary measure and the time, as far as there are figures.
  const std::vector<std::string>& measures() const { return measures_; }

  /// Logs of the measure of a cell's runs, in their order. Empty unless every run has a figure
  /// above zero: a trend with holes is no trend. If several machines ran the cell, each one's mean
  /// is moved to that of the cell: what differs between machines is no drift, step or outlier.
  std::vector<double> logs(const AuditCell& cell, const std::string& measure) const;
  std::optional<double> value(const StoredRun& run, const std::string& measure) const;

  /// What the samples of a counted run showed.
  const RunSeries& series(const StoredRun& run) const { return series_.at(&run); }

  /// A cell, or the factors that all cells of a case share, for a finding.
  std::vector<std::pair<std::string, std::string>> where(const Cell& cell) const;
  std::vector<std::pair<std::string, std::string>> where_of_case(const Cell& cell) const;
  std::string name(const Cell& cell) const { return name_of(input_.study, cell); }

 private:
  void put_in_order();
  void count();
  void make_cases();

  const AuditInput& input_;
  std::optional<std::size_t> compared_;
  Window window_;
  std::vector<AuditCell> cells_;
  std::vector<std::vector<std::size_t>> cases_;
  std::vector<const StoredRun*> made_, counted_;
  bool knows_order_ = false;
  std::vector<std::string> measures_;
  std::map<const StoredRun*, RunSeries> series_;
};

using AuditFindings = std::vector<AuditFinding>;

/// The families of checks, each in a file of its own.
void audit_cells(const AuditRuns& runs, AuditFindings& findings);     // drift, stationarity, ...
void audit_order(const AuditRuns& runs, AuditFindings& findings);     // in which they were made
void audit_start(const AuditRuns& runs, AuditFindings& findings);     // settled before a run
void audit_work(const AuditRuns& runs, AuditFindings& findings);      // equal between levels
void audit_settings(const AuditRuns& runs, AuditFindings& findings);  // threads, precision, batch
void audit_design(const AuditRuns& runs, AuditFindings& findings);    // replicates, enough of them
void audit_outcomes(const AuditRuns& runs, AuditFindings& findings);  // failures, disturbances
void audit_sampling(const AuditRuns& runs, AuditFindings& findings);  // gaps, uneven intervals
void audit_meters(const AuditRuns& runs, AuditFindings& findings);    // energy, hardware
void audit_records(const AuditRuns& runs, AuditFindings& findings);   // machines, versions, facts
void audit_nodes(const AuditRuns& runs, AuditFindings& findings);     // that deviate from others
void audit_figures(const AuditRuns& runs, AuditFindings& findings);   // read by a meter
void audit_power(const AuditRuns& runs, AuditFindings& findings);     // watts that can be
void audit_scores(const AuditRuns& runs, AuditFindings& findings);    // equal between levels
void audit_schedule(const AuditRuns& runs, AuditFindings& findings);  // hours, fixed order
void audit_shape(const AuditRuns& runs, AuditFindings& findings);     // cut off, two modes
void audit_dependence(const AuditRuns& runs, AuditFindings& findings);  // on the runs before

/// "3.2 %" of a fraction; "12 of 240".
std::string percent(double fraction);
std::string of(std::size_t part, std::size_t whole);
/// "rise by 3.2 %", "fall by 1 %": a difference of logs.
std::string change(double log_difference);
/// "0.0012", "below 0.0001".
std::string p_text(double p);
/// At most `most` names, then how many more.
std::string some_of(const std::vector<std::string>& names, std::size_t most = 3);

using EmittedBy = std::map<std::string, std::set<std::string>>;  // values by level or cell
/// "mxnet 1.23.5, all others 2.4.6": what most of more than two say is said once.
std::string who_says_what(const EmittedBy& values);

}  // namespace prengdl
