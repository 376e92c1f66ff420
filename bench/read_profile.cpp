// SPDX-License-Identifier: Apache-2.0
//
// Reads a cProfile dump N times, each time from the file, and prints the seconds of each.
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "base/clock.h"
#include "profile/call_profile.h"

int main(int count, char** words) try {
  if (count != 3) {
    fmt::print(stderr, "usage: read_profile FILE.prof N\n");
    return 2;
  }
  for (int i = 0; i < std::atoi(words[2]); ++i) {
    const auto begin = prengdl::monotonic_ns();
    const auto profile = prengdl::read_profile(words[1]);
    const auto end = prengdl::monotonic_ns();
    if (!profile) {
      fmt::print(stderr, "{}\n", profile.error().what());
      return 1;
    }
    fmt::print("{:.9f}\n", prengdl::seconds_between(begin, end).count());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
