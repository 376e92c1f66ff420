// SPDX-License-Identifier: Apache-2.0
#include "cli/aa.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/aa.h"
#include "base/calendar.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/study_result.h"
#include "report/terminal.h"
#include "store/aa_file.h"

namespace prengdl {
namespace {

/// A loop of the shell: one busy CPU for about a second, no memory and no files, and it is there on
/// every machine. So it shows the machine's floor; a workload of one's own shows more.
const std::vector<std::string> busy_loop{"/bin/sh", "-c",
                                         "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done"};

std::vector<std::string> words_of(const std::string& command) {
  if (command.empty()) return busy_loop;
  auto words = shell_words(command);
  if (!words) throw UsageError(words.error().what(), words.error().hint);
  if (words->empty())
    throw UsageError("an empty command was given with -c",
                     "write a program and its arguments between the quotes");
  return *words;
}

}  // namespace

std::filesystem::path aa_directory() {
  const char* state = std::getenv("XDG_STATE_HOME");
  // A relative path there is invalid and to be ignored, says the base directory specification.
  if (state && *state == '/') return std::filesystem::path(state) / "prengdl" / "aa";
  const char* home = std::getenv("HOME");
  const std::filesystem::path user = home && *home ? home : "/root";
  return user / ".local" / "state" / "prengdl" / "aa";
}

std::optional<AaRecord> read_aa(const std::string& fingerprint) {
  return read_aa(aa_directory(), fingerprint);
}

std::vector<AaRecord> read_aa(const std::vector<std::string>& fingerprints) {
  std::vector<AaRecord> records;
  for (const auto& fingerprint : fingerprints)
    if (auto record = read_aa(fingerprint)) records.push_back(std::move(*record));
  return records;
}

Series aa_series(std::size_t pairs, const std::string& command) {
  if (pairs < fewest_aa_pairs)
    throw UsageError(
        fmt::format("--aa {} is too few: so few pairs of runs know the spread too badly", pairs),
        fmt::format("give at least {}; 20 is a good number", fewest_aa_pairs));
  Series series;
  const auto words = words_of(command);
  series.commands = {{"A", words}, {"A again", words}};
  series.runs = pairs;
  series.warmup = 1;
  series.seed = 1;
  return series;
}

AaRecord measure_aa(Series series, const MeterSearch& search, const FoundMeters& found) {
  refuse_incomplete(found);
  series.attempt.root = search.root;
  series.attempt.output.to = OutputChoice::To::hidden;
  const auto null = open_for_reading("/dev/null");
  if (!null) throw Error(null.error());
  series.attempt.launch.standard_input = null->get();
  const FileDescriptor signals = take_signals();
  series.attempt.signals = signals.get();
  SystemClock clock;
  Progress progress(series, can_overwrite(STDERR_FILENO), true);
  const SeriesResult result = run_series(series, found.meters, clock, progress.events());
  progress.clear();
  if (result.interrupted) throw Error("interrupted: nothing is kept of the A/A");
  if (result.failed)
    throw Error("the command failed: " + shell_line(series.commands[0].argv),
                "try it by hand first");

  AaRecord record;
  record.fingerprint = this_machine(search).fingerprint;
  record.at = utc_now();
  record.prengdl_version = PRENGDL_VERSION;
  record.command = series.commands[0].argv;
  record.pairs = series.runs;
  for (const auto& label : result.runs)
    record.disturbed +=
        static_cast<std::size_t>(std::count_if(label.begin(), label.end(), [](const Run& run) {
          return std::find(run.flags.begin(), run.flags.end(), "disturbed") != run.flags.end();
        }));
  record.measures = judge_aa(result.runs[0], result.runs[1]);
  for (const auto& meter : found.meters)
    if (is_energy(meter->info()) && meter->info().counted != Counted::not_allocated)
      record.meters.push_back({meter->info().id, meter->info().domain, meter->info().quality});
  write_aa(aa_directory(), record);
  return record;
}

}  // namespace prengdl
