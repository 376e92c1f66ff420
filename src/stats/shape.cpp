// SPDX-License-Identifier: Apache-2.0
#include "stats/shape.h"

#include <algorithm>
#include <cmath>

#include "stats/correction.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

// Found by simulation (docs/explanation/verdicts.md): with all of the way, cases that are skewed in
// opposite directions would hide each other.
constexpr double way_to_family = 0.5;

struct SampleCumulants {
  double variance = 0;
  double third = 0;
  double spread_of_skewness = 0;  // in normal samples
};

/// Fisher's k-statistics (1930).
std::optional<SampleCumulants> cumulants(std::span<const double> values) {
  if (values.size() < smallest_to_judge_shape) return std::nullopt;
  const double centre = mean(values);
  const double sd = standard_deviation(values);
  if (!(sd > 1e-14 * std::max(1.0, std::abs(centre)))) return std::nullopt;
  double cubes = 0;
  for (const double value : values) cubes += std::pow(value - centre, 3);
  const auto n = static_cast<double>(values.size());
  return SampleCumulants{sd * sd, cubes * n / ((n - 1) * (n - 2)),
                         std::sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))};
}

/// Hall's monotone transformation of a t statistic.
double without_skewness(double t, double skewness) {
  return t + skewness / 3 * t * t + skewness * skewness / 27 * t * t * t + skewness / 6;
}

double chance_above(double t, double freedom) {
  const double half = two_sided_p(t, freedom) / 2;
  return t > 0 ? half : 1 - half;
}

/// What of the skewness of each case to believe; nothing for a case that has none.
std::vector<std::optional<double>> within_family(
    std::span<const std::optional<MeanSkewness>> skewness) {
  std::vector<double> known;
  double chance = 0;  // the variance of one estimate, on average
  for (const auto& one : skewness) {
    if (!one) continue;
    known.push_back(one->value);
    chance += one->spread * one->spread;
  }
  std::vector<std::optional<double>> result(skewness.size());
  if (known.empty()) return result;
  const double family = mean(known);
  double between = 0;
  if (known.size() > 1)
    between = std::max(
        0.0, std::pow(standard_deviation(known), 2) - chance / static_cast<double>(known.size()));
  for (std::size_t i = 0; i < skewness.size(); ++i) {
    if (!skewness[i]) continue;
    const double own = skewness[i]->spread * skewness[i]->spread;
    const double way = way_to_family * own / (own + between);
    result[i] = skewness[i]->value + way * (family - skewness[i]->value);
  }
  return result;
}

}  // namespace

std::optional<MeanSkewness> paired_skewness(std::span<const double> differences) {
  const auto of = cumulants(differences);
  if (!of) return std::nullopt;
  const double root_n = std::sqrt(static_cast<double>(differences.size()));
  return MeanSkewness{of->third / std::pow(of->variance, 1.5) / root_n,
                      of->spread_of_skewness / root_n};
}

std::optional<MeanSkewness> unpaired_skewness(std::span<const double> a,
                                              std::span<const double> b) {
  const auto of_a = cumulants(a);
  const auto of_b = cumulants(b);
  if (!of_a || !of_b) return std::nullopt;
  const auto na = static_cast<double>(a.size());
  const auto nb = static_cast<double>(b.size());
  const double cubed_error = std::pow(of_a->variance / na + of_b->variance / nb, 1.5);
  const auto share = [&](const SampleCumulants& of, double n) {
    return std::pow(of.variance, 1.5) * of.spread_of_skewness / (n * n);
  };
  return MeanSkewness{(of_a->third / (na * na) - of_b->third / (nb * nb)) / cubed_error,
                      std::hypot(share(*of_a, na), share(*of_b, nb)) / cubed_error};
}

std::vector<double> skewness_checked_p(std::span<const LogRatio> cases,
                                       std::span<const std::optional<MeanSkewness>> skewness) {
  if (cases.size() != skewness.size()) throw Error("each case needs one skewness, or none");
  const auto believed = within_family(skewness);
  std::vector<double> result;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    result.push_back(cases[i].p);
    if (!believed[i]) continue;
    const double t = std::log(cases[i].ratio) / cases[i].standard_error;
    const double checked = without_skewness(t, *believed[i]);
    result.back() = checked * t > 0 ? two_sided_p(checked, cases[i].freedom) : 1;
  }
  return result;
}

std::vector<double> skewness_checked_equivalence_p(
    std::span<const LogRatio> cases, std::span<const std::optional<MeanSkewness>> skewness,
    double margin) {
  if (cases.size() != skewness.size()) throw Error("each case needs one skewness, or none");
  const auto believed = within_family(skewness);
  const double bound = std::log1p(margin);
  std::vector<double> result;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double ratio = std::log(cases[i].ratio);
    const double error = cases[i].standard_error;
    const double freedom = cases[i].freedom;
    const double skewed = believed[i].value_or(0);
    const double above_lower = without_skewness((ratio + bound) / error, skewed);
    const double above_upper = without_skewness((ratio - bound) / error, skewed);
    result.push_back(
        std::max(chance_above(above_lower, freedom), chance_above(-above_upper, freedom)));
  }
  return result;
}

std::vector<bool> skew_doubts(std::span<const double> p, std::span<const double> checked_p,
                              double alpha) {
  if (p.size() != checked_p.size()) throw Error("each p needs one that was checked");
  std::vector<double> larger(p.size());
  std::ranges::transform(p, checked_p, larger.begin(),
                         [](double a, double b) { return std::max(a, b); });
  const auto found = holm(p);
  const auto supported = holm(larger);
  std::vector<bool> result;
  for (std::size_t i = 0; i < p.size(); ++i)
    result.push_back(found[i] < alpha && !(supported[i] < alpha));
  return result;
}

}  // namespace prengdl
