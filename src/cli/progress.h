// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/pace.h"
#include "run/series.h"

namespace prengdl {

/// Tells on stderr how a series goes on: one line that is written over on a terminal, one plain
/// line per run elsewhere, nothing for a single run.
class Progress {
 public:
  Progress(const Series& series, bool on_terminal, bool wanted);
  SeriesEvents events();
  void clear();

 private:
  std::string time_left(std::size_t done) const;

  std::vector<std::string> names_;  // of the commands
  bool on_terminal_;
  bool wanted_;
  std::size_t total_;
  Pace pace_;
};

}  // namespace prengdl
