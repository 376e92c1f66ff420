// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "campaign/progress.h"

namespace prengdl {

/// RESULT/live.json: the progress of a study, for `prengdl serve` and other readers
/// (docs/serve.md). Written to a temporary file, which is renamed, not synced, at most once a
/// second, and every ten where nobody has said that he watches; gone when the study has ended. A
/// write that fails is left out: nothing may disturb the runs for it.
class LiveState {
 public:
  explicit LiveState(const std::filesystem::path& result);
  ~LiveState();
  LiveState(const LiveState&) = delete;
  LiveState& operator=(const LiveState&) = delete;

  void tell(const StudyProgress& progress);

 private:
  bool is_watched(std::int64_t now_ns);
  void write(const std::string& text) const;

  std::filesystem::path result_;
  std::string host_;
  std::string step_;  // what is being done
  double since_ = 0;  // seconds of Unix time when it began
  std::int64_t written_ns_ = 0;
  std::int64_t asked_ns_ = 0;
  bool is_watched_ = false;
  std::optional<Power> power_;  // the last that was known
  std::int64_t power_ns_ = 0;
};

}  // namespace prengdl
