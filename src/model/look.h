// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/result.h"

namespace prengdl {

/// That somebody saw what a study shows before all planned runs were made.
struct Look {
  std::string at;                  // wall clock, UTC
  std::string by;                  // the command: "compare", "report" or "serve"
  std::size_t runs = 0;            // made until then, without warm-ups
  std::size_t blocks = 0;          // of them, whole ones
  std::size_t planned_blocks = 0;  // at that time
};

/// The plan of the last start. It differs from the first one after `run --runs N`.
struct CurrentPlan {
  std::size_t runs = 0;    // without warm-ups and refused cells
  std::size_t blocks = 0;  // 0: the runs were imported
};
CurrentPlan current_plan(const StudyRecord& record, const std::vector<StudyEvent>& events);

/// Counts what of a plan has been made.
class MadeRuns {
 public:
  void add(const StoredRun& run);

  /// What somebody sees who looks now. Nothing if there is no run, or if all planned ones are
  /// there.
  std::optional<Look> look(const CurrentPlan& plan, const std::string& by,
                           const std::string& at) const;

 private:
  std::size_t runs_ = 0;                                 // attempts
  std::map<std::size_t, std::set<std::size_t>> places_;  // by block
};

/// The looks at fewer runs than there are now: runs were added after each of them.
std::vector<Look> looks_before(const std::vector<Look>& looks, std::size_t runs);

}  // namespace prengdl
