// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "report/terminal.h"

namespace prengdl {

/// What a result holds so far.
struct Status {
  StudyRecord study;
  std::vector<StoredRun> runs;
  std::vector<MachineRecord> machines;
  std::vector<StudyEvent> events;
  std::vector<std::string> troubles;  // records that cannot be read
};

std::string status_text(const Status& status, const Style& style);
std::string status_json(const Status& status);  // prengdl.status/1

}  // namespace prengdl
