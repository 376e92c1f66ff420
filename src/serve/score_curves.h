// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/result.h"

namespace prengdl {

/// The metrics that the latest runs of one cell emitted, thinned so that a page can hold them.
class ScoreCurves {
 public:
  void add(const StoredRun& run);

  /// {METRIC: [{block, points: [[x, value], ...]}, ...]}, the latest run last. x is the step that
  /// the workload emitted, else the place of the value in its run.
  Json json() const;

 private:
  struct Curve {
    std::size_t block = 0;
    std::vector<std::pair<double, double>> points;
  };
  std::map<std::string, std::deque<Curve>> metrics_;
};

}  // namespace prengdl
