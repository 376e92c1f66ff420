// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "serve/findings_so_far.h"
#include "serve/score_curves.h"
#include "store/follow.h"

namespace prengdl {

/// The figures of all runs together.
struct StudySums {
  std::size_t done = 0;  // places of the plan with at least one run
  std::size_t planned = 0;
  std::size_t warmups = 0;
  std::size_t failures = 0;
  std::set<std::string> machines;    // with runs, by fingerprint
  Seconds seconds{};                 // that runs took
  std::map<Quality, Joules> joules;  // of all runs, also those that failed and did not count
};

/// What is shown of a result: put together from news, and written as JSON in whole or
/// only what has changed. Means are over the runs that count (model/counted_runs.h). Findings are
/// not computed here: due_findings() says when they may be shown, and show() takes them.
class StudyView {
 public:
  explicit StudyView(StudyRecord study);

  /// Whether something has changed.
  bool take(ResultNews&& news);

  Json whole() const;
  /// What the last take() changed.
  Json changes() const;

  /// Findings that are to be shown now: once for each block that becomes whole, with the look that
  /// is to be recorded, and at the end, which is no look.
  struct DueFindings {
    SeenBlocks seen;
    std::optional<Look> look;
  };
  /// Nothing if the page has the latest findings already. To be called after each
  /// take() that gave true.
  std::optional<DueFindings> due_findings();
  void show(Json findings);

  const StudyRecord& study() const { return study_; }
  const StudySums& sums() const { return sums_; }
  const std::vector<StudyEvent>& events() const { return events_; }

 private:
  struct OneRun {
    std::string id, machine;
    std::size_t block, attempt;
    std::optional<std::string> repeats;
    bool has_succeeded, is_disturbed;
    Seconds wall;
    std::optional<Energy> energy;
  };
  struct CellView {
    Cell cell;
    std::vector<OneRun> runs;
    std::size_t failures = 0;
    ScoreCurves scores;
  };
  void add(const StoredRun& run);
  void add_failure(const StoredRun& run);
  std::vector<const OneRun*> counted(const CellView& cell) const;
  Json cell_json(std::size_t index) const;
  Json sums_json() const;
  Json events_json() const;

  StudyRecord study_;
  StudySums sums_;
  std::set<std::size_t> places_;
  MadeRuns made_;
  std::size_t seen_blocks_ = 0;  // by the last due_findings()
  std::optional<Json> findings_;
  std::map<Cell, std::size_t> index_;
  std::vector<CellView> cells_;    // in the order in which they first ran
  std::set<std::size_t> changed_;  // by the last take()
  bool has_new_failures_ = false;
  bool has_new_events_ = false;
  std::map<std::string, std::string> excluded_;
  std::deque<Json> failures_;  // the latest first
  std::vector<StudyEvent> events_;
  std::deque<std::string> troubles_;
};

}  // namespace prengdl
