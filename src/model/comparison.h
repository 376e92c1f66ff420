// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/meter_info.h"
#include "model/study.h"

namespace prengdl {

/// A ratio with what is known of it. Modelled energy has the ratio alone.
struct Ratio {
  double value = 1;
  std::optional<std::array<double, 2>> ci95;
  std::optional<double> p;
  std::optional<double> p_corrected{};     // Holm's, within the measure's family
  std::optional<double> standard_error{};  // of the logarithm
  std::optional<double> freedom{};         // degrees, of Student's t
};

/// One of the compared levels in a case by one measure.
struct LevelFigures {
  std::string level;
  std::size_t n = 0;
  double mean = 0;
  double median = 0;
  std::optional<double> sd;
  std::optional<double> geomean;  // where all values are above zero
};

/// The rank test and the estimate that belongs to it: Hodges and Lehmann's, on logarithms.
struct RankFigures {
  std::string test;  // which, and how its p was computed
  double p = 1;
  double p_corrected = 1;
  std::optional<double> ratio;
  std::optional<std::array<double, 2>> ci95;
};

/// Two one-sided tests of a ratio within the margin.
struct EquivalenceFigures {
  double p = 1;
  double p_corrected = 1;  // Holm's, within the measure's family
};

/// Whether the runs that are compared as pairs really ran next to each other, in both orders.
struct Pairing {
  bool is_proved = false;
  std::string reason;
};

/// What weakens a finding. The words are in the JSON; programs rely on them.
enum class Caveat {
  shape_unjudged,       // too few runs to see a skewed distribution
  dependence_unjudged,  // too few runs to see whether they depend on each other
  skewed,               // a bootstrap does not confirm Student's t
  fixed_order,          // one level always ran before the other
  confounded_time,      // one level ran before the other as a whole
  confounded_machine,   // no machine ran both levels
  sensor_accuracy,      // rests on the accuracy of different sensors, which is not known
  machines_differ,      // the ratio is not the same on all machines
  disturbed,            // a tenth of the runs or more were disturbed
  looked,               // runs were added after someone had seen the findings
  unfinished,           // runs are still to come
  score                 // the winner's score is lower, or not shown to be equal
};
std::string_view name_of(Caveat caveat);

struct CaveatText {
  Caveat code{};
  std::string text;
};

/// The scores that two levels reached: the difference is of the first less the second.
struct ScoreFigures {
  std::string metric;
  bool lower_is_better = false;
  double difference = 0;
  std::optional<std::array<double, 2>> ci95;
  double margin = 0;
  bool is_equivalent = false;
};

/// The words of a verdict; programs rely on them.
enum class Verdict {
  less,        // the winner's cost is less
  equivalent,  // within the margin, for all that can be shown
  inconclusive,
  not_comparable,  // unequal work, other domains, no machine in common
  modelled         // rests on modelled energy: no test applies
};
std::string_view name_of(Verdict verdict);

/// One of the reasonable analyses of a comparison, and what it finds.
struct AlternativeFinding {
  std::string analysis;  // "rank test", "without flagged runs"
  Verdict verdict = Verdict::inconclusive;
  std::optional<std::string> winner;
  std::optional<double> ratio;
  std::optional<std::array<double, 2>> ci95;
  bool agrees = false;  // with the verdict and the winner of the study's own analysis
};

/// Why a verdict is less sure than it looks, or that it is not.
struct Robustness {
  std::size_t agree = 0;
  std::vector<AlternativeFinding> analyses;
};

/// The ratio on one of several machines.
struct MachineRatio {
  std::string machine;  // its fingerprint
  double ratio = 1;
  std::optional<double> standard_error{};  // of the logarithm
  std::optional<double> freedom{};         // degrees, of Student's t
  std::string name{};                      // for people
};

/// How much of the variation of a case's costs, between runs of a level and on logarithms, is
/// between the nodes that ran all its levels.
struct NodeVariation {
  std::size_t count = 0;  // nodes
  double share_between = 0;
  std::array<double, 2> ci95{};
  double interaction = 0;  // share of node x level: nodes that change the ratio
  std::array<double, 2> interaction_ci95{};
};

/// What the runs say about two of the compared levels in one case by one measure.
struct Comparison {
  CellPattern cell;                // the case: the other factors and their levels
  std::string measure;             // "metered", a domain, "seconds"
  std::optional<std::string> per;  // the work that values are divided by: "samples"
  bool is_primary = false;
  std::array<std::string, 2> pair;  // ratios are of the first over the second
  std::array<LevelFigures, 2> levels;
  bool paired = false;
  Pairing pairing;
  std::size_t n = 0;                     // pairs, or the smaller sample
  std::optional<double> n_effective;     // as many independent ones would know as much
  std::optional<Ratio> estimate;         // by the study's test; nothing where a value has no log
  std::vector<MachineRatio> by_machine;  // where there are several
  std::optional<NodeVariation> nodes;    // of the whole case; nothing if it cannot be estimated
  std::optional<std::array<double, 2>> with_sensor_accuracy;  // the interval, at 95 %
  std::optional<EquivalenceFigures> equivalence;
  std::optional<std::size_t> looks;  // planned blocks of a study that may stop early: the interval
                                     // allows for all looks
  std::optional<RankFigures> rank;
  std::optional<double> a12;
  std::optional<Ratio> time;  // energy = time x power: the two parts of the ratio
  std::optional<Ratio> power;
  std::optional<Quality> quality;  // of the energy; nothing for seconds
  std::optional<std::string> winner;
  Verdict verdict = Verdict::inconclusive;
  bool below_margin = false;  // of `less`: shown to be within the margin
  std::string reason;         // why it is not comparable or has no test, in words
  std::vector<CaveatText> caveats;
  std::optional<ScoreFigures> score;
  std::optional<Robustness> robustness;

  bool has(Caveat code) const;
};

/// The comparisons of one measure: what a correction is made for.
struct Family {
  std::string measure;
  bool is_primary = false;
  std::size_t tests = 0;
};

/// How often a cell failed and what that cost.
struct CellFailures {
  Cell cell;
  std::size_t runs = 0;
  std::size_t failed = 0;
  std::optional<double> burnt_joules;  // by the failed runs
};

/// Cases as a sample of cases like these, clustered by the factor that the study generalises over.
struct CasesLikeThese {
  double ratio = 1;
  std::array<double, 2> ci95{};
  std::optional<std::array<double, 2>> prediction95;  // of the ratio of one more such case
  double tau = 0;  // standard deviation of the logarithms between clusters
  std::size_t clusters = 0;
};

/// Several cases as one, as two separate statements.
struct GroupComparison {
  std::string group;  // "all", or as the study file names it
  std::string measure;
  std::array<std::string, 2> pair;
  std::size_t cases = 0;
  Ratio these_cases;  // their geometric mean; what is uncertain is each case's own ratio
  std::optional<CasesLikeThese> cases_like_these;
  std::string why_no_generalisation;  // empty if there is one
  std::array<std::size_t, 2> wins{};  // cases in which the first, the second costs less
};

/// What a study found.
struct Findings {
  std::string compare;  // the compared factor
  std::vector<std::string> levels;
  std::string test;
  std::string window;
  double alpha = 0.05;
  double margin = 0;
  bool paired = false;
  std::string pairing;  // why, in words
  std::vector<Family> families;
  std::vector<Comparison> comparisons;
  std::vector<GroupComparison> groups;
  std::vector<CellFailures> failures;  // cells with any
  std::vector<std::string> notes;
};

}  // namespace prengdl
