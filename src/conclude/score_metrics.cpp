// SPDX-License-Identifier: Apache-2.0
#include "conclude/score_metrics.h"

#include <algorithm>
#include <array>

namespace prengdl {

std::span<const ScoreMetric> score_metrics() {
  static constexpr std::array<ScoreMetric, 25> known{{
      {"accuracy", false},
      {"top1_accuracy", false},
      {"top5_accuracy", false},
      {"top1_error", true},
      {"top5_error", true},
      {"ap", false},
      {"map", false},
      {"mean_iou", false},
      {"hit_rate_10", false},
      {"hit_rate", false},
      {"ndcg_10", false},
      {"ndcg", false},
      {"bleu", false},
      {"chrf", false},
      {"rouge_l", false},
      {"perplexity", true},
      {"word_error_rate", true},
      {"wer", true},
      {"f1", false},
      {"auc", false},
      {"roc_auc", false},
      {"r2", false},
      {"rmse", true},
      {"mae", true},
      {"mse", true},
  }};
  return known;
}

bool is_lower_score_better(const AnalysisPlan& plan) {
  if (plan.lower_score_is_better) return *plan.lower_score_is_better;
  const auto all = score_metrics();
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const ScoreMetric& one) { return one.metric == plan.score; });
  return known != all.end() && known->lower_is_better;
}

}  // namespace prengdl
