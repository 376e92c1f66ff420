// SPDX-License-Identifier: Apache-2.0
#include "cli/result_study.h"

#include "run/study_file.h"

namespace prengdl {

ResultStudy read_result(const ResultStore& store) {
  ResultStudy result;
  result.record = store.study();
  result.study = load_study(store.directory() / "study.toml", result.record.preset);
  result.runs = store.runs(Detail::told);
  result.is_paired = result.record.blocks > 0;
  return result;
}

ResultStudy read_result(const std::filesystem::path& directory) {
  return read_result(ResultStore::open(directory, Access::read_only));
}

}  // namespace prengdl
