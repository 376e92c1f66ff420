// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "conclude/ratio_estimate.h"
#include "model/result.h"

namespace prengdl {

/// What a comparison takes from outside the study file.
struct CompareSettings {
  /// The result has blocks, so its runs may be pairs; imported ones often have none.
  bool paired = true;
  /// Blocks that a study with early stopping was planned with (its file's `runs` may have been
  /// overruled when it was started).
  std::optional<std::size_t> planned_blocks{};
  /// Nothing: the one that the study's test names.
  std::optional<Estimator> estimator{};
  /// How often somebody saw findings from fewer runs than there are now.
  std::size_t earlier_looks = 0;
  /// Planned runs are still to come.
  bool is_unfinished = false;
  /// That the runs were made on: the accuracy of their meters depends on them.
  std::vector<MachineRecord> machines{};
};

}  // namespace prengdl
