// SPDX-License-Identifier: Apache-2.0
#include "cli/result_study.h"

#include <algorithm>
#include <set>
#include <utility>

#include "model/window.h"
#include "report/report_cells.h"
#include "run/study_file.h"

namespace prengdl {

bool has_measured(const std::vector<StoredRun>& runs, const std::string& measure) {
  return std::any_of(runs.begin(), runs.end(), [&](const StoredRun& run) {
    const auto quality = quality_in(run.run, measure);
    return quality && *quality != Quality::model;
  });
}

std::optional<std::string> take_window(const std::string& window,
                                       const std::vector<StoredRun>& runs, Study& study) {
  if (window.empty() || window == study.analysis.window) return std::nullopt;
  const auto parsed = parse_window(window);
  if (!parsed) throw UsageError(parsed.error().what(), parsed.error().hint);
  std::set<std::string> told;
  bool is_there = parsed->spans.empty();
  for (const auto& run : runs)
    for (const auto& one : run.run.spans) {
      told.insert(one.span.span);
      is_there = is_there || is_in(*parsed, one.span);
    }
  if (!is_there)
    throw UsageError("--window " + window + ": no run tells such a span",
                     told.empty() ? "the runs tell no spans: compare whole runs"
                                  : "they tell " + listed({told.begin(), told.end()}));
  return std::exchange(study.analysis.window, window);
}

ResultStudy read_result(const ResultStore& store) {
  ResultStudy result;
  result.record = store.study();
  result.study = load_study(store.directory() / "study.toml", result.record.preset);
  result.runs = store.runs(Detail::told);
  result.is_paired = result.record.blocks > 0;
  if (!has_measured(result.runs, result.study.analysis.primary))
    go_without_meter(result.study.analysis);
  return result;
}

ResultStudy read_result(const std::filesystem::path& directory) {
  return read_result(ResultStore::open(directory, Access::read_only));
}

}  // namespace prengdl
