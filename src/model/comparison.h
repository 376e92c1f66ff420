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
  std::optional<double> p_corrected;  // Holm's, within the measure's family
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

struct RankFigures {
  std::string test;  // which, and how its p was computed
  double p = 1;
  double p_corrected = 1;
};

/// The words of a verdict; programs rely on them.
enum class Verdict {
  less,        // the winner's cost is less
  equivalent,  // within the margin, for all that can be shown
  inconclusive,
  not_comparable,  // unequal work, other domains
  modelled         // rests on modelled energy: no test applies
};
std::string_view name_of(Verdict verdict);

/// Whether an interval of a ratio lies within the margin around 1: 1 / (1 + margin) to 1 + margin.
/// Nothing lies within a margin of 0.
bool is_within_margin(const std::array<double, 2>& interval, double margin);

/// What an interval says against 1 and the margin, given whether a difference is shown.
Verdict verdict_of(const std::array<double, 2>& interval, bool is_different, double margin);

/// What the runs say about two of the compared levels in one case by one measure.
struct Comparison {
  CellPattern cell;                // the case: the other factors and their levels
  std::string measure;             // "metered", a domain, "seconds"
  std::optional<std::string> per;  // the work that values are divided by: "samples"
  bool is_primary = false;
  std::array<std::string, 2> pair;  // ratios are of the first over the second
  std::array<LevelFigures, 2> levels;
  bool paired = false;
  std::size_t n = 0;  // pairs, or the smaller sample
  Ratio estimate;
  std::optional<std::size_t> looks;  // planned blocks of a study that may stop early: the interval
                                     // allows for all looks
  std::optional<RankFigures> rank;
  std::optional<double> a12;
  std::optional<Ratio> time;  // energy = time x power: the two parts of the ratio
  std::optional<Ratio> power;
  std::optional<Quality> quality;  // of the energy; nothing for seconds
  std::optional<std::string> winner;
  Verdict verdict = Verdict::inconclusive;
  bool below_margin = false;  // of `less`: by less than the margin
  std::string reason;         // why it is not comparable or has no test, in words
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

/// Several cases as one: the geometric mean of their ratios, the cases being the sample.
struct GroupComparison {
  std::string group;  // "all", or as the study file names it
  std::string measure;
  std::array<std::string, 2> pair;
  std::size_t cases = 0;
  double ratio = 1;
  std::optional<std::array<double, 2>> ci95;  // over cases, from three on
  std::array<std::size_t, 2> wins{};          // cases in which the first, the second costs less
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
