// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace prengdl {

/// A chart of runs with more marks than this neither shows nor answers anything: it then shows a
/// part of the runs of each group, and says so. The page stays quick and small.
class Thinning {
 public:
  static constexpr std::size_t most_marks = 6000;
  static constexpr std::size_t least_of_group = 4;

  Thinning(std::size_t runs, std::size_t groups);

  bool is_needed() const { return runs_ > most_marks; }
  std::size_t most_of_group() const { return most_of_group_; }

  /// The places of the runs that are shown, of so many in a group: spread evenly, with the first
  /// and the last.
  std::vector<std::size_t> shown(std::size_t count) const;

  /// "One dot for each of 40 runs", or how many of them are shown and where the others are.
  std::string says(const std::string& mark, const std::string& how) const;

 private:
  std::size_t runs_;
  std::size_t most_of_group_;
};

}  // namespace prengdl
