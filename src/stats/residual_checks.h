// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "base/error.h"
#include "stats/anova.h"
#include "stats/normality.h"
#include "stats/spread_tests.h"

namespace prengdl {

/// Tukey's one degree of freedom for non-additivity (Biometrics 5, 1949).
struct AdditivityTest {
  double f = 0;
  double freedom = 0;  // of the error; F has one degree of freedom over these
  double p = 1;        // small: the factors do not simply add up on this scale
};

/// Whether an analysis of variance may be believed on its scale. What the data are too few for is
/// absent.
struct ResidualChecks {
  std::optional<NormalityTest> normality;  // Shapiro and Wilk, of at most 5000 residuals
  /// Between cells, freed from the means of their groups: Brown and Forsythe's from three runs a
  /// cell on, Bartlett's with two. The means of small groups hide a part of what differs; absent
  /// for groups of two, where they hide all of it.
  std::optional<SpreadTest> spread;
  std::optional<AdditivityTest> additivity;  // of the main effects, with two factors or more
};

Result<ResidualChecks> residual_checks(const FactorialData& data, const AnovaOptions& options);

enum class Scale { logs, raw, either };

/// On which scale the factors and the errors behave.
struct ScaleAdvice {
  Scale better = Scale::either;
  /// Log likelihood of the model on logs minus that on the raw scale, after Box and Cox (1964),
  /// both as densities of the raw values. Beyond 1.92 on either side the other scale is outside of
  /// the 95 % interval of the power transform, and `better` says so.
  double gain = 0;
  double largest_over_smallest = 1;  // below about 2 the scale hardly matters
  ResidualChecks logs;
  ResidualChecks raw;
};

/// Refuses values that are not above zero, and designs that leave no residuals. `options.logs` is
/// ignored.
Result<ScaleAdvice> scale_advice(const FactorialData& data, const AnovaOptions& options = {});

}  // namespace prengdl
