// SPDX-License-Identifier: Apache-2.0
#include "campaign/study_start.h"

#include <fmt/core.h>

#include "campaign/aa_runs.h"
#include "campaign/live_state.h"
#include "campaign/local_executor.h"
#include "campaign/store_keeper.h"
#include "store/profiles.h"

namespace prengdl {

void note_start(const StudyStart& start, bool is_first, const CurrentPlan& before,
                RunKeeper& keeper) {
  keeper.note(is_first ? StudyEventKind::start : StudyEventKind::resume, start.call);
  if (!is_first && before.blocks != start.study.runs)
    keeper.note(StudyEventKind::replanned,
                fmt::format("{} runs of each cell instead of {}", start.study.runs, before.blocks));
  // More runs add blocks to those that are there, so their number may change on the way.
  keeper.note(StudyEventKind::planned,
              std::to_string(start.design.size() - start.refused.size() * start.study.runs));
  for (const auto& one : start.refused)
    keeper.note(StudyEventKind::refused, one.why, name_of(start.study, one.cell));
  for (const auto& note : start.environments.notes())
    keeper.note(StudyEventKind::environment, note);
}

namespace {

/// Before the first block of a study that asks for it, what the machine shows where there is no
/// difference. False if the user interrupts it; one that fails keeps no study from its runs.
bool make_aa(const StudyStart& start, const LocalSettings& local, const TellProgress& progress,
             const Meters& meters, Clock& clock, ResultStore& store, RunKeeper& keeper) {
  if (start.study.protocol.aa == 0 || start.asked.cells().empty()) return true;
  for (const auto& record : store.aa())
    if (record.fingerprint == start.machine.fingerprint) return true;
  try {
    const Study labels = aa_study(start.study, start.asked.cells().front());
    const auto tell = [&](StudyProgress now) {
      now.doing = "A/A: " + now.doing;
      progress(now);
    };
    const auto record = measure_study_aa(labels, local, tell, meters, clock, keeper);
    if (!record) return false;
    store.check_is_there();
    store.add_aa(*record);
    keeper.note(StudyEventKind::aa, fmt::format("{} pairs of one command", record->pairs));
  } catch (const Error& error) {
    keeper.note(StudyEventKind::aa, std::string("not made: ") + error.what());
    if (start.trouble) start.trouble(Error(std::string("no A/A: ") + error.what(), error.hint));
  }
  return true;
}

}  // namespace

StudyOutcome start_study(const StudyStart& start, const Meters& meters, Clock& clock) {
  const auto& result = start.cells.result;
  ResultStore store = open_result(result, start.study, start.design, start.text, start.registered,
                                  start.environments.locks());
  if (start.trouble)
    for (const auto& trouble : store.troubles()) start.trouble(trouble);
  store.add_machine(start.machine);
  const auto runs = store.runs(Detail::figures);

  LiveState live(result);
  CampaignSettings settings;
  settings.due = start.due;
  settings.before = what_is_stored(runs);
  settings.progress = [&](const StudyProgress& progress) {
    if (start.progress) start.progress(progress);
    live.tell(progress);
  };
  if (start.makes_profiles)
    settings.profile = [&](const Cell& cell) { return profile_of(result, cell); };
  LocalSettings local{start.cells, start.machine.fingerprint, true};
  StoreKeeper keeper(store, start.study, start.design);
  note_start(start, runs.empty(), current_plan(store.study(), store.events()), keeper);
  StudyOutcome outcome;
  outcome.planned = start.asked.runs_of(start.design);
  if (!make_aa(start, local, settings.progress, meters, clock, store, keeper)) {
    outcome.end.why = StudyEnd::Why::interrupted;
    keeper.note(StudyEventKind::interrupted, "while the A/A was made");
    outcome.stored = keeper.runs();
    return outcome;
  }
  LocalExecutor executor(start.study, local, meters, clock, keeper);
  outcome.end =
      run_campaign(start.study, {outcome.planned, start.design.cells(), start.design.cases()},
                   settings, executor, clock, keeper);
  keeper.settle_up();
  keeper.note(event_kind(outcome.end.why), outcome.end.detail);
  outcome.stored = keeper.runs();
  return outcome;
}

}  // namespace prengdl
