// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace prengdl {

/// The smallest two-sided p that Wilcoxon's signed-rank test of so many pairs can give, whatever
/// the data: all differences on one side, 2^(1-n).
double smallest_signed_rank_p(std::size_t pairs);

/// The same for the rank-sum test of two samples: all values of one above all of the other.
double smallest_rank_sum_p(std::size_t first, std::size_t second);

/// The fewest pairs whose smallest p is `p` or less.
std::size_t pairs_for_signed_rank(double p);

/// The chance that a two-sided paired t test at level `alpha` sees a true mean difference, in cases
/// of the differences' standard deviation. Needs two pairs.
double paired_t_power(double difference, std::size_t pairs, double alpha);

/// The smallest true difference, in units of the differences' standard deviation, that such a test
/// sees with this power. Nothing below two pairs.
std::optional<double> detectable_difference(std::size_t pairs, double alpha, double power);

/// The fewest pairs at which that difference is seen with this power; nothing if 100,000 are not
/// enough.
std::optional<std::size_t> pairs_for_difference(double difference, double alpha, double power);

/// The chance that two one-sided paired t tests, each at level `alpha`, show that the true mean
/// difference lies within -`margin` to `margin` (Owen's Q, as in Phillips, Journal of
/// Pharmacokinetics and Biopharmaceutics 18, 1990). Both are in units of the differences' standard
/// deviation. Needs two pairs and an alpha below 0.5.
double equivalence_power(double difference, double margin, std::size_t pairs, double alpha);

/// The fewest pairs at which equivalence is shown with this power; nothing if the difference is not
/// within the margin, or if 100,000 are not enough.
std::optional<std::size_t> pairs_for_equivalence(double difference, double margin, double alpha,
                                                 double power);

/// Half the width that the interval of the mean difference at confidence 1 - `alpha` has on
/// average, in units of the true standard deviation, for normal differences. Nothing below two
/// pairs.
std::optional<double> expected_half_width(std::size_t pairs, double alpha);

/// The standard deviation that several samples share, each about its own mean: the root of their
/// variances weighted by their degrees of freedom. Nothing if no sample has two values.
std::optional<double> pooled_standard_deviation(std::span<const std::vector<double>> samples);

/// The one-sided upper confidence limit of a standard deviation that was estimated with so many
/// degrees of freedom, for normal values: by the quantile of chi-squared.
double upper_limit_of_sd(double sd, double freedom, double confidence);

}  // namespace prengdl
