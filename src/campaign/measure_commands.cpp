// SPDX-License-Identifier: Apache-2.0
#include "campaign/measure_commands.h"

#include <algorithm>
#include <set>
#include <utility>

#include "campaign/campaign.h"
#include "campaign/local_executor.h"
#include "campaign/store_keeper.h"
#include "conclude/compare.h"
#include "model/registration.h"

namespace prengdl {
namespace {

/// A result that is made for these commands alone.
class NewResult {
 public:
  NewResult(const CommandPlan& plan, const Study& study, const Design& design,
            const MeasureSettings& settings)
      : store_(made(plan, study, design, settings.cells.result)), keeper_(store_, study, design) {
    const MachineRecord machine = settings.machine();
    store_.add_machine(machine);
    machine_ = machine.fingerprint;
    keeper_.note(StudyEventKind::start, settings.call);
  }

  StoreKeeper& keeper() { return keeper_; }
  const std::string& machine() const { return machine_; }

 private:
  static ResultStore made(const CommandPlan& plan, const Study& study, const Design& design,
                          const std::filesystem::path& directory) {
    if (ResultStore::exists(directory))
      throw UsageError(directory.string() + " already contains a result",
                       "Choose another directory. Results are never overwritten.");
    return open_result(directory, study, design, study_text_of(plan),
                       registered_text(study.analysis), {});
  }

  ResultStore store_;
  StoreKeeper keeper_;
  std::string machine_;
};

/// Keeps the runs at hand, and in the result if there is one.
class HandyRuns final : public RunKeeper {
 public:
  HandyRuns(std::vector<StoredRun>& runs, RunKeeper* store) : runs_(runs), store_(store) {}

  void keep(const StoredRun& run, const SampleLog& samples) override {
    if (store_) store_->keep(run, samples);
    runs_.push_back(run);
  }
  void note(StudyEventKind kind, const std::string& detail, const std::string& cell = {}) override {
    if (store_) store_->note(kind, detail, cell);
  }

 private:
  std::vector<StoredRun>& runs_;
  RunKeeper* store_;
};

}  // namespace

MeasuredCommands measure_commands(const CommandPlan& plan, const MeasureSettings& settings,
                                  const Meters& meters, Clock& clock) {
  MeasuredCommands measured;
  measured.study = study_of(plan);
  const Design design(measured.study);
  std::optional<NewResult> result;
  if (!settings.cells.result.empty()) result.emplace(plan, measured.study, design, settings);
  HandyRuns keeper(measured.runs, result ? &result->keeper() : nullptr);

  LocalSettings local;
  local.cells = settings.cells;
  local.cells.must_start = true;
  local.cells.may_exit_anyhow = settings.ignore_failure;
  if (result) local.machine = result->machine();
  LocalExecutor executor(measured.study, local, meters, clock, keeper);
  CampaignSettings campaign;
  campaign.stops_at_failure = !settings.ignore_failure;
  campaign.progress = settings.progress;
  StudyEnd end = run_campaign(measured.study, {design.all_runs(), design.cells(), design.cases()},
                              campaign, executor, clock, keeper);
  if (result) {
    result->keeper().settle_up();
    keeper.note(event_kind(end.why), end.detail);
  }
  measured.interrupted = end.why == StudyEnd::Why::interrupted;
  measured.failed = end.why == StudyEnd::Why::failed;
  std::erase_if(measured.runs, [&](const StoredRun& run) {
    return run.is_warmup && (run.outcome == Outcome::ok || !measured.failed);
  });
  if (end.cut_short) measured.runs.push_back(std::move(*end.cut_short));
  return measured;
}

std::vector<std::vector<Run>> runs_by_command(MeasuredCommands measured) {
  const auto cells = cells_of(measured.study);
  std::vector<std::vector<Run>> runs(cells.size());
  for (auto& run : measured.runs) {
    const auto cell = std::find(cells.begin(), cells.end(), run.cell);
    runs[static_cast<std::size_t>(cell - cells.begin())].push_back(std::move(run.run));
  }
  return runs;
}

std::optional<Findings> findings_of(const MeasuredCommands& measured) {
  std::set<Cell> with_good_run;
  for (const auto& run : measured.runs)
    if (!run.is_warmup && run.outcome == Outcome::ok) with_good_run.insert(run.cell);
  if (with_good_run.size() < 2) return std::nullopt;
  CompareSettings settings;
  settings.planned_blocks = measured.study.runs;
  return compare(measured.study, measured.runs, settings);
}

}  // namespace prengdl
