// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/run_keeper.h"

namespace prengdl {

/// Keeps runs as records in a directory, for somebody else to put into the result, and collects
/// what happened.
class SpoolKeeper final : public RunKeeper {
 public:
  /// `who` comes before the words of each note.
  SpoolKeeper(std::filesystem::path directory, std::string who)
      : directory_(std::move(directory)), who_(std::move(who)) {}

  void keep(const StoredRun& run, const SampleLog& samples) override;
  void note(StudyEventKind kind, const std::string& detail, const std::string& cell = {}) override;

  const std::vector<StudyEvent>& notes() const { return notes_; }

 private:
  std::filesystem::path directory_;
  std::string who_;
  std::vector<StudyEvent> notes_;
};

}  // namespace prengdl
