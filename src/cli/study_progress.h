// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/study_run.h"

namespace prengdl {

/// Prints on stderr how a study goes on: one line that is written over on a terminal, where only
/// failed runs leave a line of their own; one plain line per finished run elsewhere.
class StudyTeller {
 public:
  explicit StudyTeller(bool on_terminal) : on_terminal_(on_terminal) {}
  ~StudyTeller() { clear(); }  // an error message gets a line of its own
  StudyTeller(const StudyTeller&) = delete;
  StudyTeller& operator=(const StudyTeller&) = delete;
  void tell(const StudyProgress& progress);
  void clear();

 private:
  bool on_terminal_;
  bool is_shown_ = false;  // a line that the next one writes over
  std::int64_t told_ns_ = 0;
};

/// "block 2 of 10, run 14 of 200, about 4 min left, 3 failed: framework=pytorch: running, 1.2 kJ so
/// far".
std::string line_of(const StudyProgress& progress);

}  // namespace prengdl
