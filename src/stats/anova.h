// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "stats/factorial.h"

namespace prengdl {

struct AnovaOptions {
  bool logs = true;       // of values above zero: effects are ratios
  std::size_t order = 2;  // the largest interaction that gets a line of its own; the rest is error
};

/// One line of the table: a main effect or an interaction.
struct AnovaTerm {
  std::string name;     // "framework:model"
  TermFactors factors;  // by number
  double freedom = 0;
  double sum_of_squares = 0;
  double share = 0;         // of the total sum of squares
  std::size_t stratum = 0;  // whose error it is tested against
  /// Absent without degrees of freedom for error, and for terms of which no factor was randomised:
  /// those have a share, but what they show may come from the order of the runs.
  std::optional<double> f;
  std::optional<double> p;
  /// By combination of levels, the last factor fastest. On logs the mean is a geometric mean and
  /// the effect the factor by which the combination differs from what the smaller terms foretell;
  /// otherwise a mean and a difference.
  std::vector<double> means;
  std::vector<double> effects;
};

/// Variation at one level of grouping that no term explains.
struct AnovaStratum {
  std::string name;  // "machine", "block", "run"
  double freedom = 0;
  double sum_of_squares = 0;
  double share = 0;
  std::optional<double> mean_square;  // absent without degrees of freedom
};

/// Fisher's analysis of variance of a balanced factorial experiment.
struct Anova {
  bool logs = true;
  double mean = 0;  // geometric on logs
  double total = 0;
  std::vector<AnovaTerm> terms;
  std::vector<AnovaStratum> strata;  // coarse to fine, the last one between runs of a group
  std::vector<double> residuals;     // of each run from its group and the terms seen within groups
};

/// Each term is tested against the error of the stratum in which it varies: a factor that changes
/// only between blocks against the variation between blocks (split plot, Yates 1935; strata as in
/// R's aov with Error(), Nelder 1965). An interaction with a randomised factor in it has a p even
/// if the other factor was not randomised, for whatever came with that one meets all levels of the
/// first alike. Shares are those of Jain (1991, chapter 22). Refuses unbalanced data, naming a
/// cell, and terms that are partly confounded with a grouping.
Result<Anova> anova(const FactorialData& data, const AnovaOptions& options = {});

/// The values that are analysed: logs, or the values themselves. Refuses what has no logarithm.
Result<std::vector<double>> analysed_values(const FactorialData& data, bool logs);

/// What is left of `y` after its finest grouping's means and the effects of these terms.
std::vector<double> residuals_from(const BalancedLayout& layout, std::span<const double> y,
                                   std::span<const TermFactors> terms);

/// The terms that vary within the groups of the finest grouping.
std::vector<TermFactors> terms_within_groups(const BalancedLayout& layout, std::size_t order);

}  // namespace prengdl
