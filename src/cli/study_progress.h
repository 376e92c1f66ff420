// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/study_run.h"

namespace prengdl {

/// Tells on stderr how a study goes on: one line that is written over on a terminal, one plain line
/// per finished run elsewhere.
class StudyTeller {
 public:
  explicit StudyTeller(bool on_terminal) : on_terminal_(on_terminal) {}
  void tell(const StudyProgress& progress);
  void clear() const;

 private:
  bool on_terminal_;
  std::int64_t told_ns_ = 0;
};

/// "block 2 of 10, run 14 of 200, about 4 min left, 3 failed: framework=pytorch: running, 1.2 kJ so
/// far".
std::string line_of(const StudyProgress& progress);

}  // namespace prengdl
