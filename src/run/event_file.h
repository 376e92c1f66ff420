// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/event.h"

namespace prengdl {

/// What is read of an event file, so that no workload can fill our memory; the rest is counted and
/// warned about.
struct EventLimits {
  std::uint64_t bytes = std::uint64_t{256} << 20;
  std::size_t events = 2'000'000;
  std::size_t line = std::size_t{64} << 10;  // bytes
};

/// The lines of an event file. A line that is not an event costs that line, with a warning.
struct EventFile {
  std::vector<Event> events;
  std::vector<std::string> warnings;
};
EventFile read_events(const std::filesystem::path& path);

/// The same from a descriptor: whatever the workload has put in the file's place is not followed.
EventFile read_events(int descriptor, const EventLimits& limits = {});

}  // namespace prengdl
