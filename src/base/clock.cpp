// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <fmt/core.h>

#include <chrono>

namespace prengdl {

/// By the calendar of the standard library: gmtime would read the time zone files.
std::string utc_now() {
  using namespace std::chrono;
  const auto now = floor<seconds>(system_clock::now());
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(now - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace prengdl
