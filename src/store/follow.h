// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/result.h"

namespace prengdl {

/// What is new in a result since it was last read.
struct ResultNews {
  std::vector<StoredRun> runs;  // those that failed of late with the ends of their outputs
  /// All runs that are left out, and why, if that has changed.
  std::optional<std::map<std::string, std::string>> excluded;
  std::optional<std::vector<StudyEvent>> events;  // all of them, if there are more
  std::vector<std::string> troubles;              // records that cannot be read
};

/// Follows a result while another process writes to it. A look reads what is new and little else:
/// each record and each run once. It writes only looks; one thread at a time.
class ResultFollower {
 public:
  /// As ResultStore::open to read.
  explicit ResultFollower(const std::filesystem::path& directory);

  StudyRecord study() const { return store_.study(); }
  void note_look(const Look& look) const { store_.note_look(look); }

  /// Throws an Error when the result cannot be read now.
  ResultNews look();

 private:
  void take_records(ResultNews& news);
  void take_stored(ResultNews& news);
  void add(StoredRun&& run, ResultNews& news);

  ResultStore store_;
  std::set<std::string> known_;    // ids of runs
  std::set<std::string> records_;  // names of records that were read, or could not be
  std::optional<std::int64_t> version_;
  std::int64_t last_run_ = 0;
  std::int64_t last_exclusion_ = 0;
  std::int64_t last_event_ = 0;
};

}  // namespace prengdl
