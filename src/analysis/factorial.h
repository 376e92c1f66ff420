// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/meter_info.h"
#include "model/result.h"
#include "model/study.h"
#include "stats/anova.h"
#include "stats/residual_checks.h"

namespace prengdl {

struct FactorialSettings {
  bool paired = true;  // the runs have blocks; imported ones have none
};

/// One level of a factor over all levels of the others, each combination counting the same.
struct LevelCost {
  std::string level;
  std::size_t runs = 0;
  std::size_t cells = 0;  // combinations that the mean is over
  double geomean = 0;
  double effect = 1;  // over the geometric mean of the factor's levels
};

struct FactorCosts {
  std::string name;
  bool is_randomised = true;
  std::vector<LevelCost> levels;
};

/// A combination of levels that has fewer runs than the others.
struct ShortCell {
  Cell cell;
  std::size_t runs = 0;
  std::size_t wanted = 0;
};

/// How much the shares can be trusted, from most to least.
enum class FactorialBasis {
  runs,         // balanced: all of the analysis of variance
  cell_means,   // unequal numbers of runs: shares of the variation between cells, nothing tested
  levels_alone  // a combination was never run: means of levels, like with like
};

/// A sweep seen as a whole by one measure.
struct FactorialView {
  std::string measure;
  std::optional<std::string> per;  // the work that costs are divided by
  std::optional<Quality> quality;  // of the energy
  std::size_t runs = 0;            // that were used
  std::size_t left_out = 0;        // of blocks that are not complete
  FactorialBasis basis = FactorialBasis::levels_alone;
  std::vector<FactorCosts> factors;
  std::vector<ShortCell> short_cells;
  std::optional<Anova> anova;        // on logs; none of levels_alone
  std::optional<ScaleAdvice> scale;  // with the residual checks; of `runs` only
  std::vector<std::string> notes;
};

/// Means, shares of variation and, where the runs were randomised, tests of all factors of a study
/// and their interactions, up to three factors. A factor that was never randomised (imported runs,
/// runs in the order as written, machines) has a share and no p; modelled energy has none either.
/// Throws an Error if there is nothing to look at.
FactorialView factorial_view(const Study& study, const std::vector<StoredRun>& runs,
                             const std::string& measure, const FactorialSettings& settings);

}  // namespace prengdl
