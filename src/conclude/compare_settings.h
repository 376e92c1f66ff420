// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace prengdl {

/// What a comparison takes from outside the study file.
struct CompareSettings {
  /// Runs have blocks and are paired by them; imported ones have none.
  bool paired = true;
  /// Blocks that a study with early stopping was planned with (its file's `runs` may have been
  /// overruled when it was started).
  std::optional<std::size_t> planned_blocks;
  /// The smallest ratio that the machine can show, by `doctor --aa`: "equivalent" may not mean
  /// less.
  std::optional<double> smallest_margin;
  /// Costs are per unit of work where every run told its work.
  bool per_work = true;
};

}  // namespace prengdl
