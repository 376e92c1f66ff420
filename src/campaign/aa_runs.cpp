// SPDX-License-Identifier: Apache-2.0
#include "campaign/aa_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/shell_words.h"
#include "campaign/campaign.h"
#include "campaign/due.h"
#include "conclude/aa.h"
#include "study/workload.h"

namespace prengdl {
namespace {

/// A loop of the shell: one busy CPU for about a second, no memory and no files, and it is there on
/// every machine. So it shows the machine's floor; a workload of one's own shows more.
const std::vector<std::string> busy_loop{"/bin/sh", "-c",
                                         "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done"};

/// Keeps the runs at hand only.
class AaRuns final : public RunKeeper {
 public:
  explicit AaRuns(RunKeeper& study) : study_(study) {}

  void keep(const StoredRun& run, const SampleLog&) override {
    if (!run.is_warmup) runs.push_back(run);
  }
  void note(StudyEventKind kind, const std::string& detail, const std::string& cell = {}) override {
    study_.note(kind, detail, cell);
  }

  std::vector<StoredRun> runs;

 private:
  RunKeeper& study_;
};

/// What the runs of two labels, the levels of the last factor, show of a machine.
AaRecord record_of(const Study& labels, const std::vector<StoredRun>& made,
                   const std::vector<std::string>& command, const std::string& fingerprint,
                   const Meters& meters) {
  AaRecord record;
  record.fingerprint = fingerprint;
  record.at = utc_now();
  record.prengdl_version = PRENGDL_VERSION;
  record.command = command;
  record.pairs = labels.runs;
  record.disturbed =
      static_cast<std::size_t>(std::count_if(made.begin(), made.end(), is_disturbed));
  const auto& levels = labels.factors.back().levels;
  std::array<std::vector<Run>, 2> runs;
  for (const auto& run : made)
    runs.at(run.cell.back() == levels.front() ? 0 : 1).push_back(run.run);
  record.measures = judge_aa(runs[0], runs[1]);
  for (const auto& meter : meters)
    if (is_energy(meter->info()) && meter->info().counted != Counted::not_allocated)
      record.meters.push_back({meter->info().id, meter->info().domain, meter->info().quality});
  return record;
}

Error command_failed(const std::vector<std::string>& command) {
  return Error("the command failed: " + shell_line(command), "try it by hand first");
}

}  // namespace

CommandPlan aa_plan(std::size_t pairs, const std::vector<std::string>& command) {
  if (pairs < fewest_aa_pairs)
    throw UsageError(fmt::format("--aa {} is too few to estimate the spread", pairs),
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
  if (measured.interrupted) throw Error("interrupted: the A/A test was not kept");
  if (measured.failed) throw command_failed(plan.commands[0].argv);
  return record_of(measured.study, measured.runs, plan.commands[0].argv, fingerprint, meters);
}

Study aa_study(const Study& study, const Cell& cell) {
  Study labels = study;
  for (std::size_t i = 0; i < cell.size(); ++i) labels.factors[i].levels = {cell[i]};
  std::string label = "label";
  while (factor_index(study, label)) label += "_";
  labels.factors.push_back({label, {"A", "A again"}});
  labels.name = study.name + " A/A";
  labels.runs = study.protocol.aa;
  labels.protocol.warmup = std::max<std::size_t>(1, study.protocol.warmup);
  labels.protocol.order = Order::adjacent;
  labels.protocol.repeat_disturbed = false;
  labels.protocol.stopping = {};
  labels.protocol.budget_energy.reset();
  labels.protocol.budget_time.reset();
  labels.analysis = {};
  labels.analysis.compare = label;
  if (study.protocol.aa_command.empty()) return labels;
  labels.overrides.clear();
  labels.workload = {};
  labels.workload.command = study.protocol.aa_command;
  return labels;
}

std::optional<AaRecord> measure_study_aa(const Study& labels, const LocalSettings& settings,
                                         const TellProgress& progress, const Meters& meters,
                                         Clock& clock, RunKeeper& keeper) {
  LocalSettings local = settings;
  local.cells.output.emplace().to = OutputChoice::To::hidden;
  AaRuns runs(keeper);
  const Design design(labels);
  CampaignSettings campaign;
  campaign.stops_at_failure = true;
  campaign.progress = progress;
  LocalExecutor executor(labels, local, meters, clock, runs);
  const StudyEnd end = run_campaign(labels, {design.all_runs(), design.cells(), design.cases()},
                                    campaign, executor, clock, runs);
  if (end.why == StudyEnd::Why::interrupted) return std::nullopt;
  const auto command = workload_for(labels, design.cells().front()).command;
  if (end.why == StudyEnd::Why::failed) throw command_failed(command);
  return record_of(labels, runs.runs, command, settings.machine, meters);
}

}  // namespace prengdl
