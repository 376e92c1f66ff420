// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/core.h>

#include <cstdio>

#include "base/clock.h"
#include "base/text.h"
#include "report/measure_report.h"

namespace prengdl {

Progress::Progress(const Series& series, bool on_terminal, bool wanted)
    : series_(series),
      on_terminal_(on_terminal),
      wanted_(wanted),
      total_(series.runs * series.commands.size()),
      start_ns_(monotonic_ns()) {}

void Progress::show(const std::string& line) {
  // Cut to the narrowest terminal there is, so that the line never wraps.
  fmt::print(stderr, "\r\x1b[K{}", shortened(line, 79));
  std::fflush(stderr);
}

void Progress::clear() {
  if (!on_terminal_ || !wanted_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

/// From the pace so far, waits included.
std::string Progress::time_left(std::size_t done) const {
  if (done == 0) return "";
  const Seconds so_far = seconds_between(start_ns_, monotonic_ns());
  return ", about " +
         for_people(so_far * (static_cast<double>(total_ - done) / static_cast<double>(done))) +
         " left";
}

SeriesEvents Progress::events() {
  SeriesEvents events;
  if (!wanted_) return events;
  if (on_terminal_) {
    events.waiting = [this](const std::string& what) { show(what); };
    events.running = [this](std::size_t command, std::size_t done, Seconds elapsed) {
      show(fmt::format("run {} of {}: {}{} ({:.0f} s)", done + 1, total_,
                       shortened(printable(series_.commands[command].label), 40), time_left(done),
                       elapsed.count()));
    };
    return events;
  }
  events.finished = [this](std::size_t command, const Run& run, std::size_t done) {
    fmt::print(stderr, "run {} of {}: {}: {}{}\n", done, total_,
               printable(series_.commands[command].label), run_line(run), time_left(done));
    std::fflush(stderr);
  };
  return events;
}

}  // namespace prengdl
