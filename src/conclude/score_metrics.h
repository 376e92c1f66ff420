// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "model/study.h"

namespace prengdl {

/// What models are judged by, and which way.
struct ScoreMetric {
  std::string_view metric;
  bool lower_is_better = false;
};

/// The usual names, the one to prefer first. A loss is none of them: every program defines its own.
std::span<const ScoreMetric> score_metrics();

/// Which way the study's score is better: as the study says, else as known of the metric.
bool is_lower_score_better(const AnalysisPlan& plan);

}  // namespace prengdl
