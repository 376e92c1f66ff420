// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/event.h"

namespace prengdl {

/// The lines of an event file. A line that is not an event costs that line, with a warning.
struct EventFile {
  std::vector<Event> events;
  std::vector<std::string> warnings;
};
EventFile read_events(const std::filesystem::path& path);

/// The same from a descriptor: whatever the workload has put in the file's place is not followed.
EventFile read_events(int descriptor);

}  // namespace prengdl
