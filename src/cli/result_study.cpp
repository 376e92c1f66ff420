// SPDX-License-Identifier: Apache-2.0
#include "cli/result_study.h"

#include <algorithm>

#include "model/window.h"
#include "run/study_file.h"

namespace prengdl {

bool has_measured(const std::vector<StoredRun>& runs, const std::string& measure) {
  return std::any_of(runs.begin(), runs.end(), [&](const StoredRun& run) {
    const auto quality = quality_in(run.run, measure);
    return quality && *quality != Quality::model;
  });
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
