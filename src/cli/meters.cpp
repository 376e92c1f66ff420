// SPDX-License-Identifier: Apache-2.0
#include "print/meters.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/parse.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/meter_options.h"
#include "machine/machine.h"
#include "run/baseline.h"
#include "tables/repeated_text.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

/// Live watts until Ctrl-C: a table that is written over on a terminal, a line per step elsewhere.
void watch(const FoundMeters& found, Seconds step, std::size_t times) {
  std::signal(SIGINT, [](int) { stop_asked = 1; });
  std::signal(SIGTERM, [](int) { stop_asked = 1; });
  SystemClock clock;
  RepeatedText shown;
  for (std::size_t i = 0; std::cout && !stop_asked && (times == 0 || i < times); ++i) {
    const Baseline power =
        measure_baseline(found.meters, step, clock, [] { return stop_asked != 0; });
    if (stop_asked) break;
    shown.show(shown.is_on_terminal() ? watts_table(found.meters, power, style_of(STDOUT_FILENO))
                                      : watts_line(found.meters, power));
  }
}

}  // namespace

int meters_command(const std::vector<std::string>& words) {
  bool json = false;
  bool watching = false;
  std::string interval = "1s";
  std::size_t times = 0;
  MeterOptions meters;
  Arguments arguments("meters", "Lists the meters of this machine and what they cover.");
  arguments.flag("--json", json, "as JSON");
  arguments.flag("--watch", watching, "show live watts until Ctrl-C");
  arguments.text("--every", interval, "with --watch: how often (default 1s)", "TIME");
  arguments.count("--times", times, "with --watch: stop after this many");
  meters.declare(arguments);
  if (!arguments.parse(words)) return 0;
  if (json && watching)
    throw UsageError("--watch and --json cannot be combined", "leave one of them out");
  const auto step = parse_duration(interval);
  if (!step || *step < Seconds{0.05})
    throw UsageError("--every " + interval + " is not a time of 50ms or more",
                     "write it as 500ms or 2s");

  const MeterSearch search = meters.search();
  const FoundMeters found = find_meters(search);
  if (watching) {
    watch(found, *step, times);
    return 0;
  }
  const Machine machine = read_machine(search.root, search.variables);
  if (json)
    std::cout << meters_json(found, machine.cpu);
  else
    show(meters_text(found, machine.cpu, style_of(STDOUT_FILENO)));
  return 0;
}

}  // namespace prengdl
