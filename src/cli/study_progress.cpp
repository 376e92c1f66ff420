// SPDX-License-Identifier: Apache-2.0
#include "cli/study_progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/text.h"

namespace prengdl {

std::string line_of(const StudyProgress& progress) {
  const std::size_t next = !progress.ended.empty() ? progress.done : progress.done + 1;
  const std::string place =
      progress.is_profile
          ? fmt::format("{} of {} runs are done", progress.done, progress.planned)
          : fmt::format("block {} of {}, run {} of {}", progress.block + 1, progress.blocks,
                        std::min(next, progress.planned), progress.planned);
  std::string line = fmt::format("{}: {}: {}", place, printable(progress.what), progress.doing);
  if (progress.energy.value > 0)
    line += fmt::format(", {}{} so far", with_prefix(progress.energy.value, "J"),
                        progress.quality == Quality::model ? " by estimate" : "");
  if (progress.failures > 0) line += fmt::format(", {} failed", progress.failures);
  if (progress.time_left && progress.done < progress.planned)
    line += fmt::format(", about {} left", for_people(*progress.time_left));
  return line;
}

void StudyTeller::tell(const StudyProgress& progress) {
  if (!on_terminal_) {
    if (progress.ended.empty()) return;
    fmt::print(stderr, "{} ({})\n", line_of(progress), progress.ended);
    std::fflush(stderr);
    return;
  }
  // Short runs come faster than anyone can read.
  const std::int64_t now = monotonic_ns();
  if (now - told_ns_ < 50'000'000 && progress.done < progress.planned) return;
  told_ns_ = now;
  fmt::print(stderr, "\r\x1b[K{}", shortened(line_of(progress), 119));
  std::fflush(stderr);
}

void StudyTeller::clear() const {
  if (!on_terminal_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace prengdl
