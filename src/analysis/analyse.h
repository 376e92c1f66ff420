// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/cost_to_score.h"
#include "analysis/emissions.h"
#include "analysis/energy_time.h"
#include "analysis/factorial.h"
#include "analysis/lifecycle.h"
#include "analysis/model_bounds.h"
#include "analysis/score.h"
#include "base/error.h"
#include "conclude/case_runs.h"
#include "conclude/standings.h"
#include "model/aa_record.h"
#include "model/comparison.h"
#include "model/look.h"
#include "model/registration.h"

namespace prengdl {

/// A part of the analysis, or why it could not be made.
template <class T>
struct Made {
  std::optional<T> value;
  std::string why_not;  // a sentence with its full stop
  std::optional<Error> error;

  /// For a part that was asked for: throws the Error if there is none.
  const T& or_throw() const {
    if (!value) throw Error(error ? *error : Error(why_not));
    return *value;
  }
};

/// What the user may choose. The parts that can be left out take long, or are of no use to all.
struct AnalysisOptions {
  std::string metric;  // the score; empty: of each case the first that score_metrics() knows
  bool lower_is_better = false;            // of the metric that is named
  std::optional<double> target;            // of the score; nothing: what the weaker level reaches
  std::optional<LifecyclePlan> lifecycle;  // nothing: one training and N inferences
  std::optional<EmissionSettings> emissions;  // its measure is filled in; nothing: none
  bool with_cost_to_score = true;
  bool with_lifecycle = true;
  bool with_factorial = true;
  bool with_robustness = true;
};

/// A result as it was read. What it refers to must outlive the analysis.
struct AnalysisInput {
  const Study& study;  // with the window that is to be compared
  const std::vector<StoredRun>& runs;
  bool is_paired = true;                             // imported runs have no blocks
  std::optional<std::size_t> planned_blocks{};       // of a study that may stop early
  std::map<std::string, PowerModel> power_models{};  // of its machines, by fingerprint
  std::vector<MachineRecord> machines{};
  std::vector<AaRecord> aa{};                  // of its machines
  std::optional<Registration> registration{};  // of its analysis
  bool is_without_meter = false;               // the study went through go_without_meter()
  std::vector<Look> looks{};                   // before all planned runs were made
  SamplesOf samples{};
};

/// How many runs do not count (model/counted_runs.h), each under the first reason that holds.
struct LeftOutRuns {
  std::size_t warmups = 0, excluded = 0, failed = 0, replaced = 0;
};

/// All that compare, report and their JSON say of a result. It points into the input's runs.
struct Analysis {
  std::vector<std::string> levels;  // of the compared factor; one name where nothing is compared
  std::vector<CaseRuns> cases;      // of a study that compares nothing each cell is one
  LeftOutRuns left_out;
  std::vector<std::string> measures;  // in the order of the study
  std::set<std::string> modelled;     // measures that any counted run has modelled, not measured
  std::string primary;                // the energy that derived figures are of: never seconds
  std::string headline;               // the measure that the answer is about
  std::vector<std::string> flags;     // of the counted runs, explained, with their numbers
  std::vector<AaRecord> aa;
  std::optional<Registration> registration;
  std::vector<PlanChange> changed;  // since the registration
  std::vector<Look> looks;          // at fewer runs than there are, and at these

  Made<Findings> findings;                   // with groups and failures
  Standings standings;                       // by the measure of the headline
  Made<Scores> scores;                       // cost against score; no cases: no run emitted one
  std::vector<CostsToScore> costs_to_score;  // with a target one, else one for each case
  Made<Lifecycle> lifecycle;
  Made<std::vector<FactorialView>> factorial;
  Made<EnergyTime> energy_time;
  std::optional<Emissions> emissions;
  std::optional<ModelBounds> bounds;  // where no run has measured energy
};

/// The only way from runs to what is said of them. Each part has one rule for what it is made of:
/// * costs are those of the study's primary measure; figures derived from energy (score, cost to
///   score, emissions) use the primary one if it is an energy, else the sum of all meters;
/// * score is set against time where no run has measured energy;
/// * a target that was given needs one metric in all cases, else each case has its own;
/// * a part that cannot be made says why, and the others are made.
/// Throws an Error if no run succeeded, and a UsageError if an option asks for what the runs do not
/// have.
Analysis analyse(const AnalysisInput& input, const AnalysisOptions& options);

}  // namespace prengdl
