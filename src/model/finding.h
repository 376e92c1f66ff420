// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

namespace prengdl {

/// What the runs say about two of the compared levels (for `measure`: commands) by one measure.
struct Finding {
  std::string measure;              // "metered", "package", "seconds"
  std::array<std::string, 2> pair;  // the estimate is the first over the second
  bool paired = false;
  std::size_t n = 0;  // pairs, or the smaller sample
  double ratio = 1;   // of geometric means
  std::optional<std::array<double, 2>> ci95;
  std::optional<double> p;
  std::optional<double> p_corrected;  // Holm's, within the measure's family
  std::string rank_test;              // which, and how its p was computed
  std::optional<double> rank_p;
  std::optional<double> rank_p_corrected;
  std::optional<double> a12;
  std::optional<std::string> winner;
  std::string verdict;  // less, inconclusive, derived (rests on modelled energy)
};

}  // namespace prengdl
