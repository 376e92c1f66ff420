// SPDX-License-Identifier: Apache-2.0
#include "campaign/aa_runs.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/shell_words.h"
#include "campaign/due.h"
#include "conclude/aa.h"

namespace prengdl {
namespace {

/// A loop of the shell: one busy CPU for about a second, no memory and no files, and it is there on
/// every machine. So it shows the machine's floor; a workload of one's own shows more.
const std::vector<std::string> busy_loop{"/bin/sh", "-c",
                                         "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done"};

}  // namespace

CommandPlan aa_plan(std::size_t pairs, const std::vector<std::string>& command) {
  if (pairs < fewest_aa_pairs)
    throw UsageError(
        fmt::format("--aa {} is too few: so few pairs of runs know the spread too badly", pairs),
        fmt::format("give at least {}; 20 is a good number", fewest_aa_pairs));
  CommandPlan plan;
  const auto& words = command.empty() ? busy_loop : command;
  plan.commands = {{"A", words}, {"A again", words}};
  plan.runs = pairs;
  plan.warmup = 1;
  plan.seed = 1;
  return plan;
}

AaRecord measure_aa(const CommandPlan& plan, const MeasureSettings& settings,
                    const std::string& fingerprint, const Meters& meters, Clock& clock) {
  const MeasuredCommands measured = measure_commands(plan, settings, meters, clock);
  if (measured.interrupted) throw Error("interrupted: nothing is kept of the A/A");
  if (measured.failed)
    throw Error("the command failed: " + shell_line(plan.commands[0].argv), "try it by hand first");
  AaRecord record;
  record.fingerprint = fingerprint;
  record.at = utc_now();
  record.prengdl_version = PRENGDL_VERSION;
  record.command = plan.commands[0].argv;
  record.pairs = plan.runs;
  record.disturbed = static_cast<std::size_t>(
      std::count_if(measured.runs.begin(), measured.runs.end(), is_disturbed));
  const auto runs = runs_by_command(measured);
  record.measures = judge_aa(runs[0], runs[1]);
  for (const auto& meter : meters)
    if (is_energy(meter->info()) && meter->info().counted != Counted::not_allocated)
      record.meters.push_back({meter->info().id, meter->info().domain, meter->info().quality});
  return record;
}

}  // namespace prengdl
