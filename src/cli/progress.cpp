// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/core.h>

#include "base/clock.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "report/measure_report.h"
#include "report/terminal.h"

namespace prengdl {

Progress::Progress(const Series& series, bool on_terminal, bool wanted)
    : names_(command_names(series.commands)),
      on_terminal_(on_terminal),
      wanted_(wanted),
      total_(series.runs * series.commands.size()),
      pace_(monotonic_ns()) {}

void Progress::clear() {
  if (on_terminal_ && wanted_) write_over_nothing();
}

std::string Progress::time_left(std::size_t done) const {
  const auto left = pace_.left(total_ - done, monotonic_ns());
  return left ? ", " + about_left(*left) : "";
}

SeriesEvents Progress::events() {
  SeriesEvents events;
  if (!wanted_) return events;
  if (on_terminal_) {
    events.waiting = [](const std::string& what) { write_over(what); };
    events.running = [this](std::size_t command, std::size_t done, Seconds elapsed) {
      write_over(fmt::format("run {} of {}: {}{} ({:.0f} s)", done + 1, total_,
                             shortened(printable(names_[command]), 40), time_left(done),
                             elapsed.count()));
    };
  }
  events.finished = [this](std::size_t command, const Run& run, std::size_t done) {
    pace_.one_done(monotonic_ns());
    if (on_terminal_) return;
    remark(fmt::format("run {} of {}: {}: {}{}\n", done, total_, printable(names_[command]),
                       run_line(run), time_left(done)));
  };
  return events;
}

}  // namespace prengdl
