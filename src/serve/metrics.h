// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "serve/study_view.h"

namespace prengdl {

/// What serving itself cost and does.
struct ServeFigures {
  Seconds cpu{};
  std::size_t watchers = 0;
};

/// All figures in the text format of Prometheus, version 0.0.4. What is not known is left out.
std::string metrics_text(const StudyView& view, const std::optional<Json>& live, bool is_running,
                         const ServeFigures& figures);

}  // namespace prengdl
