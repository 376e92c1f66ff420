// SPDX-License-Identifier: Apache-2.0
#include "stats/stopping.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "stats/summary.h"

namespace prengdl {
namespace {

struct Moments {
  double centre = 0;
  double error = 0;  // standard error of the mean
};

Result<Moments> moments_at_look(std::span<const double> values, const LookPlan& plan) {
  if (values.size() < plan.first)
    return failure(fmt::format("{} pairs; the first look is at {}", values.size(), plan.first));
  if (values.size() > plan.last)
    return failure(
        fmt::format("{} pairs, where {} were planned", values.size(), plan.last),
        "an interval that allows for looks holds for the planned runs only; compare with "
        "the planned number, or start a study with more runs");
  for (const double value : values)
    if (!std::isfinite(value)) return failure("a ratio needs values above zero");
  const Moments moments{mean(values),
                        standard_deviation(values) / std::sqrt(static_cast<double>(values.size()))};
  // Rounding leaves some 1e-16 of equal ratios; a hundred times that is still no spread.
  if (moments.error <= 1e-14 * std::max(1.0, std::abs(moments.centre)))
    return failure("all pairs have the same ratio, so there is no spread",
                   "A meter that does not change, or has too coarse steps, looks like this.");
  return moments;
}

}  // namespace

Result<SequenceInterval> log_ratio_sequence(std::span<const double> log_differences,
                                            const LookPlan& plan, double alpha) {
  const auto moments = moments_at_look(log_differences, plan);
  if (!moments) return tl::unexpected(moments.error());
  const TBoundary& boundary = t_boundary(plan, alpha);
  const std::size_t look = log_differences.size() - plan.first;
  const double half = boundary.t[look] * moments->error;
  SequenceInterval result;
  result.ratio = std::exp(moments->centre);
  result.interval = {std::exp(moments->centre - half), std::exp(moments->centre + half)};
  result.alpha = alpha;
  result.nominal = boundary.nominal[look];
  result.n = log_differences.size();
  result.plan = plan;
  return result;
}

Result<double> sequence_p(std::span<const double> log_differences, const LookPlan& plan) {
  const auto moments = moments_at_look(log_differences, plan);
  if (!moments) return tl::unexpected(moments.error());
  const double t = moments->centre / moments->error;
  return crossing_probability(plan, constant_reached(plan, log_differences.size(), t));
}

Result<std::vector<double>> log_differences(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return failure("pairs need two samples of equal size");
  std::vector<double> differences;
  differences.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] > 0 && b[i] > 0)) return failure("a ratio needs values above zero");
    differences.push_back(std::log(a[i] / b[i]));
  }
  return differences;
}

}  // namespace prengdl
