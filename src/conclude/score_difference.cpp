// SPDX-License-Identifier: Apache-2.0
#include "conclude/score_difference.h"

#include <cmath>

#include "conclude/paired_samples.h"
#include "conclude/score_metrics.h"
#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// A mean difference and what Student's t needs; no freedom where values are too few.
struct MeanDifference {
  double value = 0;
  double error = 0;
  double freedom = 0;
};

MeanDifference of_pairs(const TwoSamples& samples) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < samples.a.size(); ++i)
    differences.push_back(samples.a[i] - samples.b[i]);
  const auto n = static_cast<double>(differences.size());
  if (differences.size() < 2) return {mean(differences), 0, 0};
  return {mean(differences), standard_deviation(differences) / std::sqrt(n), n - 1};
}

/// After Welch.
MeanDifference of_samples(const TwoSamples& samples) {
  MeanDifference result{mean(samples.a) - mean(samples.b), 0, 0};
  if (samples.a.size() < 2 || samples.b.size() < 2) return result;
  double variance = 0;
  double of_variance = 0;
  for (const auto* values : {&samples.a, &samples.b}) {
    const auto n = static_cast<double>(values->size());
    const double part = std::pow(standard_deviation(*values), 2) / n;
    variance += part;
    of_variance += part * part / (n - 1);
  }
  result.error = std::sqrt(variance);
  const auto both = static_cast<double>(samples.a.size() + samples.b.size() - 2);
  result.freedom = variance > 0 ? variance * variance / of_variance : both;
  return result;
}

}  // namespace

std::optional<ScoreFigures> score_difference(const std::vector<const StoredRun*>& a,
                                             const std::vector<const StoredRun*>& b, bool is_paired,
                                             const AnalysisPlan& plan) {
  if (plan.score.empty() || !plan.score_margin) return std::nullopt;
  const TwoSamples samples =
      two_samples(a, b, is_paired, [&](const Run& run) { return final_metric(run, plan.score); });
  if (samples.a.empty() || samples.b.empty()) return std::nullopt;
  const MeanDifference difference = is_paired ? of_pairs(samples) : of_samples(samples);
  ScoreFigures score;
  score.metric = plan.score;
  score.lower_is_better = is_lower_score_better(plan);
  score.difference = difference.value;
  score.margin = *plan.score_margin;
  if (difference.freedom <= 0) return score;
  if (difference.error == 0) {
    score.ci95 = {difference.value, difference.value};
    score.is_equivalent = std::abs(difference.value) <= score.margin;
    return score;
  }
  const double half = student_factor(0.95, difference.freedom) * difference.error;
  score.ci95 = {difference.value - half, difference.value + half};
  // The interval of two one-sided tests at alpha has the confidence 1 - 2 alpha.
  const double tested = student_factor(1 - 2 * plan.alpha, difference.freedom) * difference.error;
  score.is_equivalent = std::abs(difference.value) + tested < score.margin;
  return score;
}

WinnersScore winners_score(const Comparison& comparison) {
  const ScoreFigures& score = *comparison.score;
  if (score.is_equivalent) return WinnersScore::equal;
  // Turned so that more is better for the winner.
  const bool is_first = comparison.winner == comparison.pair[0];
  const double sign = is_first == score.lower_is_better ? -1 : 1;
  if (score.ci95 && std::min(sign * (*score.ci95)[0], sign * (*score.ci95)[1]) > 0)
    return WinnersScore::higher;
  return sign * score.difference < 0 ? WinnersScore::lower : WinnersScore::unknown;
}

}  // namespace prengdl
