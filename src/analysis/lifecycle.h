// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "conclude/case_runs.h"
#include "model/comparison.h"
#include "model/measure.h"
#include "model/study.h"
#include "stats/estimated_mean.h"

namespace prengdl {

/// How often a phase occurs in a life.
struct LifecyclePhase {
  std::string level;
  std::optional<double> times;  // nothing: N, which is left open
};

/// `--lifecycle train=1,infer=N`: a factor, the phases in the order of the option, and the one that
/// is repeated: the phase whose times are N, else the last. Its times count units of the work that
/// it emits, or runs if it emits none; those of the others count runs.
struct LifecyclePlan {
  std::string factor;
  std::vector<LifecyclePhase> phases;
  std::size_t repeated = 0;
};

/// The levels must be those of one factor that is not the compared one.
Result<LifecyclePlan> parse_lifecycle(const Study& study, const std::string& option);

/// The factor that separates the phases of a life: `phase`, unless that is the compared one.
std::optional<std::string> phase_factor(const Study& study);

/// One training and N inferences, where the study has such phases.
Result<LifecyclePlan> default_lifecycle(const Study& study);

/// One of the compared levels over its life, in arithmetic means: costs add up.
struct LifecycleLevel {
  std::string level;
  double fixed = 0;             // of all phases but the repeated one, with their times
  double each = 0;              // of one time of the repeated phase
  std::optional<double> total;  // where N is a number
};

/// Which of two levels costs less, and up to which N.
struct LifecyclePair {
  enum class Outcome {
    break_even,    // one costs less below `break_even`, the other above it
    first_always,  // the first costs less for every N; below, `may_be_equal` says whether that is
                   // shown
    second_always,
    equal,
    not_comparable  // no runs that belong together, or energy of other domains: `reason`
  };
  std::array<std::string, 2> pair;
  Outcome outcome = Outcome::equal;
  std::optional<double> break_even;
  std::optional<std::string> less_before;  // of break_even
  std::optional<std::string> less_after;
  /// Every N at which the two may cost the same, at 95 % (Fieller); nothing where the costs are
  /// modelled or a phase has a single run. Empty: the outcome "always" is shown.
  std::optional<std::vector<Stretch>> may_be_equal;
  std::optional<Ratio> total;  // at the N that was given, first over second; without p
  std::string reason;          // why it is not comparable or has no interval, in words
};

struct LifecycleCase {
  CellPattern cell;                // without the compared factor and the phases
  std::optional<std::string> per;  // the work that N counts; nothing: runs
  std::optional<Quality> quality;
  std::vector<LifecycleLevel> levels;  // those that have runs of every phase
  std::vector<LifecyclePair> pairs;
};

struct Lifecycle {
  LifecyclePlan plan;
  std::string measure;
  bool paired = false;
  std::vector<LifecycleCase> cases;
  std::vector<std::string> notes;
};

struct LifecycleSettings {
  std::string measure = measures::metered;
  bool paired = true;
};

/// `cases` as runs_by_case gives them. Intervals are at 95 % each and not corrected for their
/// number.
Lifecycle lifecycle(const Study& study, const std::vector<CaseRuns>& cases,
                    const LifecyclePlan& plan, const LifecycleSettings& settings);

}  // namespace prengdl
