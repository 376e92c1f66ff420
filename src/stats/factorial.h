// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// What was varied. A factor that was not randomised (each level on its own day, say) cannot be
/// separated from whatever else changed with it.
struct VariedFactor {
  std::string name;
  std::vector<std::string> levels;
  bool randomised = true;
};

/// One run: a level of each factor, the group of each grouping, and what was measured.
struct FactorialRun {
  std::vector<std::size_t> levels;
  std::vector<std::size_t> groups;
  double value = 0;
};

/// A factorial experiment. Groupings go from coarse to fine, e.g. machine, block; groups of the
/// finer one lie within one group of the coarser one, so equal numbers on two machines are two
/// blocks.
struct FactorialData {
  std::vector<VariedFactor> factors;
  std::vector<std::string> groupings;
  std::vector<FactorialRun> runs;
};

/// Some factors, by number, ascending: a main effect or an interaction.
using TermFactors = std::vector<std::size_t>;

/// The geometry of a balanced factorial experiment: each combination of levels was run equally
/// often. Its effects and groupings are then orthogonal, and all sums of squares follow from means
/// (Yates 1937; strata after Nelder 1965).
class BalancedLayout {
 public:
  /// Refuses an unbalanced experiment and names a cell that is missing or short.
  static Result<BalancedLayout> of(const FactorialData& data);

  std::size_t runs() const { return cell_.size(); }
  std::size_t runs_per_cell() const { return runs() / cells_; }
  std::size_t cells() const { return cells_; }
  std::span<const std::size_t> cell_of_run() const { return cell_; }

  /// All combinations of at most `order` factors, mains first.
  std::vector<TermFactors> terms_up_to(std::size_t order) const;
  double freedom(const TermFactors& term) const;

  /// Levels of the term's combination that a run belongs to, as one number: the last factor runs
  /// fastest.
  std::size_t combination(std::size_t run, const TermFactors& term) const;
  std::size_t combinations(const TermFactors& term) const;

  /// The mean of each combination.
  std::vector<double> means(std::span<const double> y, const TermFactors& term) const;
  /// What each combination adds to the sum of all smaller terms. Sums to zero along each factor.
  std::vector<double> effects(std::span<const double> y, const TermFactors& term) const;

  std::size_t groupings() const { return group_.size(); }
  std::size_t groups(std::size_t grouping) const { return group_size_[grouping].size(); }
  bool groups_are_equal(std::size_t grouping) const;
  std::vector<double> group_means(std::span<const double> y, std::size_t grouping) const;
  std::size_t group_of(std::size_t run, std::size_t grouping) const {
    return group_[grouping][run];
  }

  /// Which part of a term is seen between the groups: 1 if it varies between groups only, 0 if each
  /// group holds it evenly, and in between where both are mixed.
  double between_groups(const TermFactors& term, std::size_t grouping) const;

 private:
  BalancedLayout() = default;
  void centre(std::vector<double>& table, const TermFactors& term) const;

  std::vector<std::size_t> levels_;              // how many, of each factor
  std::vector<std::vector<std::size_t>> level_;  // of each run, by factor
  std::vector<std::size_t> cell_;                // of each run
  std::size_t cells_ = 1;
  std::vector<std::vector<std::size_t>> group_;       // of each run, by grouping
  std::vector<std::vector<std::size_t>> group_size_;  // runs in each group, by grouping
};

/// "model=ncf, phase=train" of a cell.
std::string cell_name(const std::vector<VariedFactor>& factors, std::size_t cell);

/// "model:phase" of a term.
std::string term_name(const std::vector<VariedFactor>& factors, const TermFactors& term);

}  // namespace prengdl
