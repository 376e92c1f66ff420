// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/reading.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// The calls of one function in a profile of a cell.
struct ProfiledCalls {
  std::string file;  // "~" for a function that is written in C
  std::string function;
  double calls = 0;
};

struct CellProfile {
  Cell cell;
  std::vector<ProfiledCalls> functions;
};

using TakeReading = std::function<void(std::uint16_t meter, const Reading& reading)>;

/// All that is examined. `samples` gives the readings of a run in the order in which they were
/// taken; without it the checks of samples are left out.
struct AuditInput {
  Study study;
  std::vector<StoredRun> runs;  // with their meters
  bool is_paired = true;        // imported runs have no blocks
  std::vector<MachineRecord> machines;
  std::vector<StudyEvent> events;
  std::vector<std::pair<std::string, std::string>> locks;  // environment, text of its lock
  std::function<std::string(const Cell&)> environment_of;  // empty text: the caller's own
  std::function<void(const StoredRun&, const TakeReading&)> samples;
  std::vector<CellProfile> profiles;
  std::optional<std::uint64_t> gpu_memory_bytes;  // of the card that the study says it used
  std::optional<Watts> gpu_power_limit;
};

}  // namespace prengdl
