// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "cluster/cluster_state.h"
#include "serve/study_view.h"

namespace prengdl {

/// What serving itself cost and does.
struct ServeFigures {
  Seconds cpu{};
  std::size_t watchers = 0;
};

/// What those who make the runs say of themselves.
struct LiveFigures {
  const std::optional<Json>& live;
  const std::optional<ShownCluster>& cluster;
  bool is_running = false;
};

/// All figures in the text format of Prometheus, version 0.0.4. What is not known is left out.
std::string metrics_text(const StudyView& view, const LiveFigures& now,
                         const ServeFigures& figures);

}  // namespace prengdl
