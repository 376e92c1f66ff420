// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/result.h"

namespace prengdl {

struct MergeReport {
  std::size_t added = 0;
  std::size_t known = 0;           // were there already
  std::vector<std::string> notes;  // what differs but does not keep the results apart
};

/// Adds the runs of `from` to `into`, with their samples, logs, exclusions, machines, events,
/// looks and A/A records.
/// Both must be of the same study (text, preset and factors): else an Error says what differs. Done
/// a second time, or after it was interrupted, it adds what is missing and nothing twice.
MergeReport merge(ResultStore& into, const ResultStore& from);

}  // namespace prengdl
