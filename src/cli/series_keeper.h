// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "meters/sources.h"
#include "run/sample_log.h"
#include "run/series.h"
#include "store/result.h"

namespace prengdl {

/// Stores what `measure` measures as the result of a study with one factor, the command.
class SeriesKeeper {
 public:
  /// Hooks itself into the series and its events, which must outlive it no longer than run_series.
  /// Throws when the directory holds a result already.
  SeriesKeeper(const std::filesystem::path& directory, Series& series, const MeterSearch& search,
               SeriesEvents& events);
  SeriesKeeper(const SeriesKeeper&) = delete;
  SeriesKeeper& operator=(const SeriesKeeper&) = delete;

 private:
  void keep(std::size_t command, const Run& run);

  std::vector<std::string> levels_;
  ResultStore store_;
  std::string machine_;
  std::vector<MeterInfo> meters_;  // of the run that is being made
  SampleLog samples_;
};

/// The study file that would measure the same: what the result keeps for the record.
std::string study_text_of(const Series& series, const std::vector<std::string>& levels);

/// The labels of the commands as levels of a factor: each once, numbered where two are the same.
std::vector<std::string> levels_of(const Series& series);

}  // namespace prengdl
