// SPDX-License-Identifier: Apache-2.0
#include "cli/study_progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/text.h"
#include "report/terminal.h"
#include "run/pace.h"

namespace prengdl {

/// What matters most comes first: a narrow terminal cuts off the end.
std::string line_of(const StudyProgress& progress) {
  const std::size_t next = !progress.ended.empty() ? progress.done : progress.done + 1;
  const std::string place =
      progress.is_profile
          ? fmt::format("{} of {} runs are done", progress.done, progress.planned)
          : fmt::format("block {} of {}, run {} of {}", progress.block + 1, progress.blocks,
                        std::min(next, progress.planned), progress.planned);
  std::string line = place;
  if (progress.time_left && progress.done < progress.planned)
    line += ", " + about_left(*progress.time_left);
  if (progress.failures > 0) line += fmt::format(", {} failed", progress.failures);
  line += fmt::format(": {}: {}", printable(progress.what), progress.doing);
  if (progress.energy.value > 0)
    line += fmt::format(", {}{} so far", with_prefix(progress.energy.value, "J"),
                        progress.quality == Quality::model ? " by estimate" : "");
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
  write_over(line_of(progress));
}

void StudyTeller::clear() const {
  if (on_terminal_) write_over_nothing();
}

}  // namespace prengdl
