// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/study.h"
#include "study/design.h"

namespace prengdl {

/// With fewer runs of each cell the interval of a ratio is too wide to say anything.
constexpr std::size_t fewest_runs = 3;

/// What one run of a cell takes, as far as it is known.
struct RunCost {
  std::optional<Seconds> seconds;
  std::optional<Joules> joules;
};

/// The standard deviation of the log ratio of two runs of one block.
struct KnownSpread {
  double sd = 0;
  std::optional<double> freedom;  // degrees that it was estimated with; nothing: stated by the user
};

/// What is known before a study runs: from `doctor --aa`, a pilot, or the blocks that are done.
struct PlanInput {
  std::map<std::string, KnownSpread> spreads;  // by measure
  std::optional<KnownSpread> spread;           // of the other measures
  std::vector<RunCost> costs;       // by cell, as in Design::cells(); empty: nothing is known
  std::optional<Seconds> settling;  // what the wait for a quiet machine took on average
  std::size_t series = 24;          // meters and channels that are sampled
  double power = 0.8;               // with which a difference or equivalence is to be shown
  double true_ratio = 1;            // at which equivalence is to be shown
};

/// What a design can show with the wanted power if the log ratios of paired runs have this standard
/// deviation.
struct Detectable {
  double spread = 0;
  std::optional<double> ratio;  // smallest above 1 (its inverse alike); nothing: none is enough
  std::optional<std::size_t> equivalent_n;  // runs that show equivalence within the margin
};

/// The runs of each cell that it takes to show something with the wanted power.
struct PlannedRuns {
  std::optional<std::size_t> n;            // with the spread that is planned with
  std::optional<std::size_t> at_estimate;  // with the estimated spread itself
};

/// The comparisons of one measure, which are corrected together by Holm.
struct PlanFamily {
  std::string measure;
  bool is_primary = false;
  std::size_t comparisons = 0;
  std::size_t n = 0;              // pairs in each of them
  double needed_p = 0;            // of the smallest p in the family: alpha / comparisons
  double rank_smallest_p = 1;     // that the signed-rank test can give with n pairs
  std::size_t rank_needed_n = 0;  // pairs with which it can give needed_p
  std::size_t needed_n = 0;       // the same for the study's own test; three for log-t
  bool can_show = false;
  std::optional<double> spread;  // stated, or estimated
  /// What the figures below are for: a stated spread, or the upper 80 % confidence limit of an
  /// estimated one, so that the plan is large enough in four of five cases.
  std::optional<double> planned_spread;
  /// The smallest ratio above 1 (its inverse alike) that the paired t test on logs at needed_p
  /// finds with the wanted power.
  std::optional<double> detectable_ratio;
  std::vector<Detectable> assumed;  // for spreads that are usual, if that of this study is unknown
  /// The interval at confidence 1 - alpha is expected to reach from ratio / this to ratio * this.
  std::optional<double> interval_factor;
  PlannedRuns margin_n;  // with which the study's margin is detectable
  /// With which two one-sided tests at needed_p show that a ratio is within the margin, if it is
  /// the true ratio of the plan.
  PlannedRuns equivalent_n;
};

/// What a study will do and what it can show, before anything runs.
struct Plan {
  std::string study;
  std::string preset;
  std::string compare;  // empty: nothing is compared
  std::string test;
  double alpha = 0.05;
  double margin = 0.05;
  double power = 0.8;
  double true_ratio = 1;  // at which equivalence is to be shown
  Order order_kind = Order::adjacent;
  std::vector<std::string> factors;
  std::vector<Cell> cells;
  std::vector<std::vector<std::size_t>> cases;
  std::size_t blocks = 0;
  std::size_t runs = 0;
  std::size_t warmups = 0;  // uncounted runs of one start
  std::vector<PlannedRun> order;
  std::vector<PlanFamily> families;  // the primary one first
  bool can_show = false;  // also where the study compares nothing: then there is nothing to refuse
  std::string why_not;
  bool has_too_few_runs = false;  // fewer than fewest_runs of each cell
  /// Runs, warm-ups, idle baselines and the wait as far as `settling` says. Preparing and cleaning
  /// up are not in it. Cells of unknown cost take the mean of the others.
  std::optional<double> hours;
  std::optional<double> hours_at_most;  // if every wait takes its limit
  std::optional<double> joules;         // of runs and warm-ups
  std::optional<std::uint64_t> disk_bytes;
  std::vector<std::string> notes;  // sentences: a budget that will not do
};

Plan make_plan(const Study& study, const PlanInput& input = {});

/// What some runs of a plan take, with the warm-ups of their cells, idle baselines and waits as in
/// Plan::hours. Nothing if no cell's time is known.
std::optional<Seconds> expected_time(const Study& study, const PlanInput& input,
                                     const std::vector<PlannedRun>& runs);

}  // namespace prengdl
