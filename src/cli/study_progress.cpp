// SPDX-License-Identifier: Apache-2.0
#include "cli/study_progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/standard_streams.h"
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
  if (progress.time_left && *progress.time_left > Seconds{0})
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
    remark(fmt::format("{} ({})\n", line_of(progress), progress.ended));
    return;
  }
  // The next line would write over a failure before anyone has read it.
  if (progress.doing.starts_with("failed: ")) {
    remark("\r\x1b[K" + wrapped(fmt::format("{} ({})\n", line_of(progress), progress.ended),
                                style_of(STDERR_FILENO).width));
    is_shown_ = false;
    return;
  }
  // Short runs come faster than anyone can read.
  const std::int64_t now = monotonic_ns();
  if (now - told_ns_ < 50'000'000 && progress.done < progress.planned) return;
  told_ns_ = now;
  write_over(line_of(progress));
  is_shown_ = true;
}

void StudyTeller::clear() {
  if (is_shown_) write_over_nothing();
  is_shown_ = false;
}

}  // namespace prengdl
