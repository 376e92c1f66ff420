// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace prengdl {

/// When a growing sample is tested: at `first` values and at each one more, up to `last`. Fixed
/// before the first value is there; what is computed from it holds for this plan and no other.
struct LookPlan {
  std::size_t first = 10;
  std::size_t last = 10;
  /// Wang and Tsiatis's shape (1987): 0 is O'Brien and Fleming's boundary, strict at first; 0.5 is
  /// Pocock's, equal at all looks.
  double shape = 0.25;
};

/// What |t| must exceed at each look so that it does so at any look with probability alpha, if the
/// mean is zero.
struct TBoundary {
  LookPlan plan;
  double alpha = 0.05;
  double constant = 0;          // the boundary at the last look, as a normal deviate
  std::vector<double> t;        // at plan.first, plan.first + 1, ...
  std::vector<double> nominal;  // two-sided p of one look alone that this t has
};

/// The chance that the t statistics of normal values with mean zero cross the boundary of this
/// constant at any look of the plan. To six digits for plans from ten values on, to four from two.
double crossing_probability(const LookPlan& plan, double constant);

/// The boundary of a plan. Takes half a millisecond a look and is remembered; any thread may
/// call it. Throws on a plan without looks and on an alpha outside of 1e-8 to 0.5.
const TBoundary& t_boundary(const LookPlan& plan, double alpha);

/// The normal deviate at the last look that a |t| of n values is worth: the largest constant whose
/// boundary it reaches. Needs plan.first <= n <= plan.last.
double constant_reached(const LookPlan& plan, std::size_t n, double t);

}  // namespace prengdl
